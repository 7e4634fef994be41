// What a mode's numbers mean: of one profile, or of two that are compared.
import { changeColour, packageColours, symbolColours } from './colour.js';
import { amount, change, grouped, percent, points } from './numbers.js';

/** One profile: a value, and how many samples it is made of. */
export class Plain {
  constructor(profile) {
    this.profile = profile;
    [this.value, this.count] = profile.values;
    this.columns = profile.values.map((value) => value.column);
    this.defaultSort = 'self';
    /** 'kind' or 'package'. */
    this.colouring = 'kind';
    this.coloured = '';
    this.colours = [];
  }

  width(tree) {
    return tree.total[this.value.column];
  }

  colour(theme, tree, symbols) {
    const wanted = theme + this.colouring + symbols.count;
    if (this.coloured !== wanted) {
      this.coloured = wanted;
      const colours = this.colouring === 'package' ? packageColours : symbolColours;
      this.colours = colours(theme, symbols);
    }
    return (node) => this.colours[tree.symbol[node]];
  }

  text(number) {
    return amount(number * this.value.scale, this.value);
  }

  samples(number) {
    return this.count ? amount(number * this.count.scale, this.count) : '';
  }

  /** All of it, as the base of shares. */
  base(tree, node = 0) {
    const value = this.text(tree.total[this.value.column][node]);
    const samples = this.count ? ', ' + this.samples(tree.total[this.count.column][node]) : '';
    return value + samples;
  }

  /** Rows of { label, cells } for the foot. */
  describe(tree, node) {
    const row = (label, column) => ({
      label,
      cells: [
        percent(column(this.value.column)[node], tree.total[this.value.column][0]),
        this.text(column(this.value.column)[node]),
        this.count ? this.samples(column(this.count.column)[node]) : '',
      ],
    });
    return [row('self', (c) => tree.self[c]), row('total', (c) => tree.total[c])];
  }

  /** The table's columns over sums by function. */
  tableColumns(tree, zoom, sums) {
    const base = tree.total[this.value.column][zoom];
    const of = '% of ' + this.text(base);
    const value = (name, title, numbers) => [
      { key: name, title, numbers, text: (id) => this.text(numbers[id]) },
      {
        key: '',
        title: of,
        numbers,
        text: (id) => percent(numbers[id], base),
        bar: (id) => numbers[id] / base,
      },
    ];
    return [
      ...value('self', 'Self', sums.self[0]),
      ...value('total', 'Total', sums.total[0]),
    ];
  }
}

/** Two profiles: shares of each one's whole, or values as they are. */
export class Change {
  constructor(profile, names) {
    this.profile = profile;
    this.names = names;
    [this.a, this.b, this.countA, this.countB] = profile.values;
    this.columns = profile.values.map((value) => value.column);
    this.defaultSort = 'change';
  }

  /** What one unit of each side weighs. */
  weights(tree) {
    const [a, b] = [this.a, this.b].map((v) => tree.total[v.column][0] * v.scale);
    if (this.profile.absolute) {
      return [this.a.scale, this.b.scale];
    }
    return [a ? this.a.scale / a : 0, b ? this.b.scale / b : 0];
  }

  /** The mean of both sides, so that what is gone and what is new are both seen. */
  width(tree) {
    const [wa, wb] = this.weights(tree);
    const [a, b] = [tree.total[this.a.column], tree.total[this.b.column]];
    return a.map((value, i) => (value * wa + b[i] * wb) / 2);
  }

  sides(tree, column) {
    const [wa, wb] = this.weights(tree);
    return (node) => [column[this.a.column][node] * wa, column[this.b.column][node] * wb];
  }

  /** Two standard deviations of the difference that chance alone makes; 0 where unknown. */
  noise(tree, shareA, shareB) {
    if (!this.profile.sampled || !this.countA || this.profile.absolute) {
      return 0;
    }
    const all = (value) => tree.total[value.column][0] * value.scale;
    const [na, nb] = [all(this.countA), all(this.countB)];
    const variance = (share, n) => (n > 0 ? (share * (1 - share)) / n : 0);
    return 2 * Math.sqrt(variance(shareA, na) + variance(shareB, nb));
  }

  colour(theme, tree) {
    const sides = this.sides(tree, tree.total);
    return (node) => {
      const [a, b] = sides(node);
      const chance = Math.abs(b - a) <= this.noise(tree, a, b);
      return changeColour(theme, chance || a + b === 0 ? 0 : (b - a) / (a + b));
    };
  }

  one(number) {
    return this.profile.absolute ? amount(number, this.a) : percent(number, 1);
  }

  difference(number) {
    return this.profile.absolute ? change(number, this.a) : points(number);
  }

  base(tree, node = 0) {
    const side = (name, value) =>
      name + ' ' + amount(tree.total[value.column][node] * value.scale, value);
    return side(this.names[0], this.a) + ', ' + side(this.names[1], this.b);
  }

  describe(tree, node) {
    const row = (label, column) => {
      const [a, b] = this.sides(tree, column)(node);
      const noise = this.noise(tree, a, b);
      const bound = noise > 5e-6 ? ' (chance ' + points(noise).replace('+', '±') + ')' : '';
      return { label, cells: [this.difference(b - a) + bound, this.one(a) + ' → ' + this.one(b)] };
    };
    return [row('self', tree.self), row('total', tree.total)];
  }

  tableColumns(tree, zoom, sums) {
    const [wa, wb] = this.weights(tree);
    const both = (pair) => [pair[0].map((v) => v * wa), pair[1].map((v) => v * wb)];
    const minus = ([a, b]) => b.map((v, i) => v - a[i]);
    const total = both(sums.total);
    const changes = { self: minus(both(sums.self)), total: minus(total) };
    const side = (key, title, numbers) => ({
      key,
      title,
      numbers,
      text: (id) => this.one(numbers[id]),
    });
    const delta = (key, title, numbers) => ({
      key,
      title,
      numbers,
      size: true,
      text: (id) => this.difference(numbers[id]),
      mark: (id) => this.mark(tree, total[0][id], total[1][id], numbers[id]),
    });
    return [
      delta('change', 'Change, self', changes.self),
      delta('changeTotal', 'Change, total', changes.total),
      side('a', 'Total in ' + this.names[0], total[0]),
      side('b', 'Total in ' + this.names[1], total[1]),
    ];
  }

  mark(tree, a, b, difference) {
    if (difference === 0 || Math.abs(difference) <= this.noise(tree, a, b)) {
      return 'rest';
    }
    return difference > 0 ? 'more' : 'less';
  }
}

/** A sentence on what the writer left out; empty if nothing. */
export function cutText(profile, tree, measure) {
  if (!profile.cut || profile.cut.stacks === 0) {
    return '';
  }
  const share = percent(profile.cut.total, tree.total[measure.columns[0]][0]);
  const below = percent(profile.cut.below, 1);
  const stacks = grouped(profile.cut.stacks);
  return `Frames below ${below} are not drawn: the ends of ${stacks} stacks, together ${share}`;
}
