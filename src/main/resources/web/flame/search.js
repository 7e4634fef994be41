// What a search means, and how much of the time it covers.

/**
 * A test for names: `"name"` is that name exactly, `/…/` a regular expression, all else a part of
 * the name or module, whatever its case. Null for an empty or a broken search.
 */
export function matcher(text) {
  const query = text.trim();
  if (query === '') {
    return null;
  }
  if (query.length > 2 && query.startsWith('"') && query.endsWith('"')) {
    const exact = query.slice(1, -1);
    return (name) => name === exact;
  }
  if (query.length > 2 && query.startsWith('/') && query.endsWith('/')) {
    try {
      const pattern = new RegExp(query.slice(1, -1), 'i');
      return (name, module) => pattern.test(name) || (module !== '' && pattern.test(module));
    } catch {
      return null;
    }
  }
  const part = query.toLowerCase();
  return (name, module) =>
    name.toLowerCase().includes(part) || module.toLowerCase().includes(part);
}

/** A 1 for each symbol that matches; null if there is no search. */
export function matches(symbols, text) {
  const test = matcher(text);
  if (!test) {
    return null;
  }
  const found = new Uint8Array(symbols.count);
  for (let i = 0; i < symbols.count; i++) {
    found[i] = symbols.kinds[i] !== 0 && test(symbols.names[i], symbols.modules[i]) ? 1 : 0;
  }
  return found;
}

/** The sum below a node over matching frames; one above another counts once. */
export function matchedTotal(tree, found, from, column) {
  let sum = 0;
  let frames = 0;
  let i = from;
  while (i < tree.end[from]) {
    if (found[tree.symbol[i]]) {
      sum += tree.total[column][i];
      frames++;
      i = tree.end[i];
    } else {
      i++;
    }
  }
  return { sum, frames };
}
