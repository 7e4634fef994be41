// The tree as it is looked at: without some frames, by module, without recursion.
import { Kind } from '../flame/data.js';
import { complete, Merger } from '../flame/tree.js';

/** Symbols with one more for each module, and which of them each symbol becomes. */
export function moduleSymbols(symbols) {
  const more = {
    ...symbols,
    names: symbols.names.slice(),
    modules: symbols.modules.slice(),
    functions: Array.from(symbols.functions),
    functionSymbols: symbols.functionSymbols.slice(),
    kinds: Array.from(symbols.kinds),
    inlined: Array.from(symbols.inlined),
    named: Array.from(symbols.named),
  };
  const ids = new Map();
  const target = new Int32Array(symbols.count);
  for (let i = 0; i < symbols.count; i++) {
    const kind = symbols.kinds[i];
    if (kind <= Kind.PROCESS || kind >= Kind.WAITING) {
      target[i] = i;
      continue;
    }
    const module = symbols.modules[i] || (kind === Kind.KERNEL ? '[kernel]' : '[no module]');
    const key = kind + module;
    if (!ids.has(key)) {
      ids.set(key, more.names.length);
      more.names.push(module.split('/').pop());
      more.modules.push(module);
      more.kinds.push(kind);
      more.inlined.push(0);
      more.named.push(1);
      more.functions.push(more.functionSymbols.length);
      more.functionSymbols.push(more.names.length - 1);
    }
    target[i] = ids.get(key);
  }
  more.count = more.names.length;
  for (const column of ['kinds', 'inlined', 'named']) {
    more[column] = Uint8Array.from(more[column]);
  }
  more.functions = Int32Array.from(more.functions);
  return { symbols: more, target };
}

function named(symbols, changes, what) {
  const names = new Set(changes.filter((c) => c.what === what).map((c) => c.name));
  if (names.size === 0) {
    return null;
  }
  return Uint8Array.from(symbols.names, (name) => (names.has(name) ? 1 : 0));
}

/** Leaves of a tree only the stacks that have a marked symbol. */
function focused(tree, marked) {
  const inside = new Uint8Array(tree.count);
  const kept = new Uint8Array(tree.count);
  for (let i = 0; i < tree.count; i++) {
    const parent = tree.parent[i];
    inside[i] = marked[tree.symbol[i]] || (parent >= 0 && inside[parent]) ? 1 : 0;
  }
  for (let i = tree.count - 1; i >= 0; i--) {
    if (inside[i] || kept[i]) {
      kept[i] = 1;
      if (i > 0) {
        kept[tree.parent[i]] = 1;
      }
    }
  }
  const only = (columns) => columns.map((column) => column.map((v, i) => (inside[i] ? v : 0)));
  return { tree: { ...tree, self: only(tree.self), cut: only(tree.cut) }, kept };
}

/**
 * The shaped tree: { tree, symbols }. `want` is { kernel, recursion, modules, changes }; recursion
 * false folds a function that calls itself into one frame.
 */
export function shape(whole, allSymbols, { kernel, recursion, modules, changes }) {
  if (kernel && recursion && !modules && changes.length === 0) {
    return { tree: whole, symbols: allSymbols };
  }
  const hide = named(allSymbols, changes, 'hide');
  const exclude = named(allSymbols, changes, 'exclude');
  const focus = named(allSymbols, changes, 'focus');
  const { tree, kept } = focus ? focused(whole, focus) : { tree: whole, kept: null };
  const byModule = modules ? moduleSymbols(allSymbols) : null;
  const symbols = byModule ? byModule.symbols : allSymbols;
  const mapped = byModule
    ? { ...tree, symbol: tree.symbol.map((symbol) => byModule.target[symbol]) }
    : tree;
  const merger = new Merger(mapped);
  if (modules) {
    merger.mixed.fill(1);
  }
  for (let i = 0; i < tree.count; i++) {
    const symbol = tree.symbol[i];
    if ((kept && !kept[i]) || (exclude && exclude[symbol])) {
      i = tree.end[i] - 1;
      continue;
    }
    const above = i > 0 ? merger.target[tree.parent[i]] : -1;
    const repeats =
      (!recursion || modules) &&
      above >= 0 &&
      symbols.functions[merger.symbol[above]] === symbols.functions[mapped.symbol[i]];
    const hidden =
      i > 0 &&
      ((!kernel && symbols.kinds[mapped.symbol[i]] === Kind.KERNEL) ||
        (hide && hide[symbol]) ||
        repeats);
    merger.add(i, Boolean(hidden));
  }
  return { tree: complete(merger.nodes()), symbols };
}
