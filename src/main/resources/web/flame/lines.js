// The lines of text round the graph: the run, the legend, the path and the foot.
import { changeColour, kindColour } from './colour.js';
import { Kind, KIND_NAMES } from './data.js';
import { amount, percent } from './numbers.js';
import { element } from './panels.js';

/** Earlier times are not of a wall clock: perf counts from the start of the machine. */
const FIRST_CLOCK = Date.UTC(2001, 0);

/** Of a longer path the middle is left out. */
const PATH_START = 2;
const PATH_END = 4;

const HATCH = 'repeating-linear-gradient(135deg, var(--soft) 0 1px, transparent 1px 4px)';

/** When, how long and how it was recorded. */
export function runText(facts) {
  const parts = [];
  if (facts.start > FIRST_CLOCK) {
    parts.push(new Date(facts.start).toLocaleString());
  }
  if (facts.duration > 0) {
    parts.push(amount(facts.duration, { unit: 'nanoseconds' }));
  }
  for (const name of ['target', 'command', 'kernel']) {
    if (facts.facts[name]) {
      parts.push(name === 'kernel' ? `kernel ${facts.facts[name]}` : facts.facts[name]);
    }
  }
  return parts.join(' · ');
}

/** What the colours mean, as far as they occur. */
export function legend(theme, symbols, compared) {
  const item = (colour, text) =>
    element('li', {}, element('span', { class: 'swatch', style: `background:${colour}` }), text);
  if (compared) {
    return [
      item(changeColour(theme, -1), `less in ${compared[1]}`),
      item(changeColour(theme, 1), 'more'),
      item(changeColour(theme, 0), 'same, or chance'),
    ];
  }
  const kinds = new Set(symbols.kinds);
  const items = Object.values(Kind)
    .filter((kind) => kind > Kind.PROCESS && kinds.has(kind))
    .map((kind) => item(kindColour(theme, kind), KIND_NAMES[kind]));
  return symbols.inlined.includes(1) ? [...items, item(HATCH, 'inlined')] : items;
}

/** The frames from the root to the one that is zoomed. */
export function path({ tree, zoom, symbols }, go) {
  const items = [];
  for (let at = zoom; at >= 0; at = tree.parent[at]) {
    const node = at;
    const name = symbols.names[tree.symbol[at]];
    const button = element('button', { type: 'button', title: name }, element('bdi', {}, name));
    button.onclick = () => go(node);
    items.unshift(element('li', {}, button));
  }
  items.at(-1).setAttribute('aria-current', 'location');
  const left = items.length - PATH_START - PATH_END;
  if (left > 1) {
    const gap = element('li', { title: `${left} frames between` }, '…');
    items.splice(PATH_START, left, gap);
  }
  return items;
}

/** One frame described: what it is, and its shares with their base. */
export function foot({ tree, symbols, measure, zoom }, node) {
  const symbol = tree.symbol[node];
  const kind = KIND_NAMES[symbols.kinds[symbol]];
  const total = tree.total[measure.columns[0]];
  const where = [
    symbols.modules[symbol],
    symbols.inlined[symbol] ? kind + ', inlined' : kind,
    `shares of ${measure.base(tree)}`,
    zoom > 0 && node > zoom
      ? percent(total[node], total[zoom]) + ` of ${symbols.names[tree.symbol[zoom]]}`
      : '',
  ];
  const what = element(
    'div',
    { class: 'what' },
    element('bdi', { class: 'name' }, symbols.names[symbol]),
    element('span', { class: 'of' }, where.filter((part) => part !== '').join(' · ')),
  );
  const list = element('dl');
  for (const { label, cells } of measure.describe(tree, node)) {
    list.append(element('dt', {}, label));
    [...cells, '', ''].slice(0, 3).forEach((cell, i) => {
      list.append(element('dd', i === 0 ? { class: 'share' } : {}, cell));
    });
  }
  return [what, list];
}
