// Selectors as text: {comm="java", container=~"shop.*"}.

const MATCHER = /^\s*([\w.]+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*(,|$)/;
const ESCAPED = { n: '\n', t: '\t', r: '\r' };

/** The matchers [{ name, operator, value }] of a text; null if it is none. */
export function parseSelector(text) {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === '{}') {
    return [];
  }
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) {
    return null;
  }
  let rest = trimmed.slice(1, -1).trim();
  const matchers = [];
  while (rest !== '') {
    const match = MATCHER.exec(rest);
    if (!match) {
      return null;
    }
    const value = match[3].replace(/\\(.)/gs, (_, c) => ESCAPED[c] || c);
    matchers.push({ name: match[1], operator: match[2], value });
    rest = rest.slice(match[0].length).trim();
  }
  return matchers;
}

const quote = (text) =>
  `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\t/g, '\\t').replace(/\r/g, '\\r')}"`;

export function matcherText({ name, operator, value }) {
  return name + operator + quote(value);
}

export function selectorText(matchers) {
  return matchers.length ? `{${matchers.map(matcherText).join(', ')}}` : '';
}

/** The selector with one more matcher, in the place of one that asks for the same label. */
export function withMatcher(text, name, operator, value) {
  const others = (parseSelector(text) || []).filter(
    (matcher) => matcher.name !== name || matcher.operator !== operator,
  );
  return selectorText([...others, { name, operator, value }]);
}
