// Self and total of each function within a part of the tree.

/**
 * Sums by function over a node and all below it. A function that stands several times above one
 * another counts once in its total; what the writer cut away is summed apart.
 */
export function functionTotals(tree, symbols, from, columns) {
  const functions = symbols.functionSymbols.length;
  const self = columns.map(() => new Float64Array(functions));
  const total = columns.map(() => new Float64Array(functions));
  const cut = columns.map(() => 0);
  const above = new Int32Array(functions);
  const open = [];
  for (let i = from; i < tree.end[from]; i++) {
    while (open.length > tree.depth[i] - tree.depth[from]) {
      above[open.pop()]--;
    }
    const id = symbols.functions[tree.symbol[i]];
    for (let c = 0; c < columns.length; c++) {
      const column = columns[c];
      self[c][id] += tree.self[column][i];
      cut[c] += tree.cut[column][i];
      if (above[id] === 0) {
        total[c][id] += tree.total[column][i];
      }
    }
    above[id]++;
    open.push(id);
  }
  return { self, total, cut };
}
