// The merged tree in columns. Nodes stand in the order of a walk: a parent, then all below it.
import { Kind } from './data.js';

/** Adds what follows from depth, symbol, self and cut: parents, ends of subtrees, totals. */
export function complete(nodes) {
  const { count, depth } = nodes;
  const parent = new Int32Array(count);
  const end = new Int32Array(count);
  const open = [];
  let deepest = 0;
  for (let i = 0; i < count; i++) {
    while (open.length > depth[i]) {
      end[open.pop()] = i;
    }
    parent[i] = open.length ? open[open.length - 1] : -1;
    open.push(i);
    deepest = Math.max(deepest, depth[i]);
  }
  while (open.length) {
    end[open.pop()] = count;
  }
  const total = nodes.self.map((self, column) => {
    const sums = new Float64Array(count);
    for (let i = count - 1; i >= 0; i--) {
      sums[i] += self[i] + nodes.cut[column][i];
      if (i > 0) {
        sums[parent[i]] += sums[i];
      }
    }
    return sums;
  });
  const origin = nodes.origin || Int32Array.from({ length: count }, (_, i) => i);
  return { ...nodes, origin, parent, end, total, deepest };
}

/**
 * The tree without some processes and, if asked, without kernel frames: what a hidden frame held
 * itself goes to the frame above it, and what stands below it moves up and merges.
 */
export function filter(tree, symbols, { processes, kernel }) {
  if (!processes && kernel) {
    return tree;
  }
  const merger = new Merger(tree);
  for (let i = 0; i < tree.count; i++) {
    const symbol = tree.symbol[i];
    const kind = symbols.kinds[symbol];
    if (processes && kind === Kind.PROCESS && tree.depth[i] === 1 && !processes.has(symbol)) {
      i = tree.end[i] - 1;
    } else {
      merger.add(i, !kernel && kind === Kind.KERNEL);
    }
  }
  return complete(merger.nodes());
}

/** Builds a smaller tree; children are linked lists in typed arrays, so that a million will do. */
export class Merger {
  constructor(tree) {
    this.tree = tree;
    this.count = 0;
    this.target = new Int32Array(tree.count);
    this.symbol = new Int32Array(tree.count);
    this.origin = new Int32Array(tree.count);
    this.above = new Int32Array(tree.count);
    this.first = new Int32Array(tree.count).fill(-1);
    this.last = new Int32Array(tree.count).fill(-1);
    this.next = new Int32Array(tree.count).fill(-1);
    /** Whether children came from more than one node: only then may two be the same. */
    this.mixed = new Uint8Array(tree.count);
    this.self = tree.self.map(() => new Float64Array(tree.count));
    this.cut = tree.cut.map(() => new Float64Array(tree.count));
  }

  add(node, hidden) {
    const { tree } = this;
    const parent = tree.parent[node];
    const above = node === 0 ? -1 : this.target[parent];
    if (hidden || (above >= 0 && this.origin[above] !== parent)) {
      this.mixed[above] = 1;
    }
    const target = hidden ? above : this.child(above, node);
    this.target[node] = target;
    for (let column = 0; column < tree.self.length; column++) {
      this.self[column][target] += tree.self[column][node];
      this.cut[column][target] += tree.cut[column][node];
    }
  }

  child(above, node) {
    const symbol = this.tree.symbol[node];
    if (above >= 0 && this.mixed[above]) {
      for (let at = this.first[above]; at >= 0; at = this.next[at]) {
        if (this.symbol[at] === symbol) {
          return at;
        }
      }
    }
    const id = this.count++;
    this.symbol[id] = symbol;
    this.origin[id] = node;
    this.above[id] = above;
    if (above >= 0) {
      if (this.first[above] < 0) {
        this.first[above] = id;
      } else {
        this.next[this.last[above]] = id;
      }
      this.last[above] = id;
    }
    return id;
  }

  /** In the order of a walk again, the heaviest child first. */
  nodes() {
    const { count } = this;
    this.sortMixed();
    const order = new Int32Array(count);
    const depth = new Int32Array(count);
    let at = 0;
    let level = 0;
    for (let i = 0; i < count; i++) {
      order[i] = at;
      depth[i] = level;
      if (this.first[at] >= 0) {
        at = this.first[at];
        level++;
        continue;
      }
      while (at > 0 && this.next[at] < 0) {
        at = this.above[at];
        level--;
      }
      at = this.next[at];
    }
    const pick = (column) => {
      const picked = new column.constructor(count);
      for (let i = 0; i < count; i++) {
        picked[i] = column[order[i]];
      }
      return picked;
    };
    return {
      count,
      depth,
      symbol: pick(this.symbol),
      origin: pick(this.origin),
      self: this.self.map(pick),
      cut: this.cut.map(pick),
    };
  }

  sortMixed() {
    const weight = new Float64Array(this.count);
    for (let i = this.count - 1; i >= 0; i--) {
      weight[i] += this.self[0][i] + this.cut[0][i];
      if (i > 0) {
        weight[this.above[i]] += weight[i];
      }
    }
    for (let i = 0; i < this.count; i++) {
      if (this.mixed[i] && this.first[i] >= 0) {
        const children = [];
        for (let at = this.first[i]; at >= 0; at = this.next[at]) {
          children.push(at);
        }
        children.sort((a, b) => weight[b] - weight[a]);
        this.first[i] = children[0];
        children.forEach((child, n) => {
          this.next[child] = n + 1 < children.length ? children[n + 1] : -1;
        });
      }
    }
  }
}

/** Where each node lies: start in units of its width, and the nodes of each level in order. */
export function layOut(tree, width) {
  const { count, depth, parent } = tree;
  const start = new Float64Array(count);
  const next = new Float64Array(count);
  const levelStart = new Int32Array(tree.deepest + 2);
  for (let i = 0; i < count; i++) {
    if (i > 0) {
      start[i] = next[parent[i]];
      next[parent[i]] += width[i];
    }
    next[i] = start[i];
    levelStart[depth[i] + 1]++;
  }
  for (let level = 0; level <= tree.deepest; level++) {
    levelStart[level + 1] += levelStart[level];
  }
  const filled = levelStart.slice();
  const levels = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    levels[filled[depth[i]]++] = i;
  }
  return { start, width, levels, levelStart };
}

/** The first position in a level's nodes whose node ends after `at`. */
export function firstEndingAfter(layout, level, at) {
  let low = layout.levelStart[level];
  let high = layout.levelStart[level + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const node = layout.levels[middle];
    if (layout.start[node] + layout.width[node] > at) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** The node that came from one of the whole tree, or the nearest above it that is there. */
export function nodeOf(tree, whole, origin) {
  if (tree === whole) {
    return origin < tree.count ? origin : 0;
  }
  const byOrigin = new Map();
  for (let i = 0; i < tree.count; i++) {
    byOrigin.set(tree.origin[i], i);
  }
  for (let at = origin < whole.count ? origin : 0; at >= 0; at = whole.parent[at]) {
    if (byOrigin.has(at)) {
      return byOrigin.get(at);
    }
  }
  return 0;
}

const PRIME = 0x01000193;
const ROOT_HASH = 0x811c9dc5 | 0;

function mixText(from, text) {
  let value = from;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), PRIME);
  }
  return Math.imul(value ^ 10, PRIME);
}

/** A number for the way from the root to each node, as the server makes it. */
export function pathHashes(tree, symbols) {
  const ofSymbol = new Int32Array(symbols.count);
  for (let i = 0; i < symbols.count; i++) {
    const named = mixText(mixText(ROOT_HASH, symbols.names[i]), symbols.modules[i]);
    ofSymbol[i] = Math.imul(named ^ ((symbols.kinds[i] << 1) | symbols.inlined[i]), PRIME);
  }
  const hashes = new Int32Array(tree.count);
  hashes[0] = ROOT_HASH;
  for (let i = 1; i < tree.count; i++) {
    const value = Math.imul(hashes[tree.parent[i]], PRIME) ^ ofSymbol[tree.symbol[i]];
    hashes[i] = value ^ (value >>> 15);
  }
  return hashes;
}
