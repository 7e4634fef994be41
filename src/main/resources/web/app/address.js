// What is being looked at, in the address: one state for all views, so that a link reopens it and
// back undoes.

export const VIEWS = [
  'flame',
  'table',
  'sandwich',
  'threads',
  'cpus',
  'processes',
  'source',
  'quality',
];

/** How the part behind # is spelt. Times are milliseconds since 1970. */
const DEFAULTS = {
  /** The window: { last } in milliseconds, always up to now; or { from, to }. */
  window: { last: 3600e3 },
  /** The selection in the window: { from, to, low, high }, the last two within each second. */
  selection: null,
  type: '',
  query: '',
  by: 'comm',
  view: 'flame',
  /** The path hash of the frame that is zoomed to; 0 is the root. */
  zoom: 0,
  search: '',
  /** The function in the sandwich or the source: { name, module }. */
  picked: null,
  /** Changes of the tree: [{ what: 'focus' | 'exclude' | 'hide', name }]. */
  changes: [],
  kernel: true,
  recursion: true,
  modules: false,
  upward: false,
  colour: 'kind',
  /** What is compared with: { from, to, low, high, query }; the selection is the later side. */
  compare: null,
  absolute: false,
  sort: '',
  /** The column that processes are sorted by; from the smallest with a minus. */
  order: 'value',
  file: '',
  thread: 0,
  theme: '',
};

const UNITS = { s: 1e3, m: 60e3, h: 3600e3, d: 86400e3 };

/** `90s`, `15m`, `1h`, `7d` in milliseconds; 0 if it is none. */
export function duration(text) {
  const match = /^(\d+(?:\.\d+)?)\s*([smhd])$/.exec(text.trim());
  return match ? Number(match[1]) * UNITS[match[2]] : 0;
}

export function durationText(millis) {
  for (const unit of ['d', 'h', 'm']) {
    if (millis >= UNITS[unit] && millis % UNITS[unit] === 0) {
      return millis / UNITS[unit] + unit;
    }
  }
  return Math.round(millis / 10) / 100 + 's';
}

function readRange(text) {
  const match = /^(\d+)-(\d+)(?:~(\d+)-(\d+))?$/.exec(text || '');
  if (!match || Number(match[1]) >= Number(match[2])) {
    return null;
  }
  const range = { from: Number(match[1]), to: Number(match[2]), low: 0, high: 1000 };
  if (match[3] && Number(match[3]) < Number(match[4])) {
    range.low = Math.min(999, Number(match[3]));
    range.high = Math.min(1000, Number(match[4]));
  }
  return range;
}

function writeRange(range) {
  const text = `${Math.round(range.from)}-${Math.round(range.to)}`;
  return isWhole(range) ? text : `${text}~${range.low}-${range.high}`;
}

/** Whether a range takes all of each second. */
export function isWhole(range) {
  return !range || !(range.low > 0 || range.high < 1000);
}

function readWindow(text) {
  const last = duration(text || '');
  const range = readRange(text);
  return last ? { last } : range ? { from: range.from, to: range.to } : DEFAULTS.window;
}

function readCompare(parts) {
  const range = readRange(parts.get('c'));
  const query = parts.get('cq');
  return range || query !== null ? { ...(range || {}), query } : null;
}

const FLAGS = { kernel: 'k', recursion: 'r', modules: 'm', upward: 'u', absolute: 'a' };
const TEXTS = {
  type: 'p',
  query: 'q',
  by: 'by',
  search: 'f',
  colour: 'col',
  sort: 'o',
  order: 'po',
  file: 'src',
  theme: 'th',
};

export function read(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const state = { ...DEFAULTS };
  for (const [name, key] of Object.entries(TEXTS)) {
    state[name] = parts.get(key) ?? DEFAULTS[name];
  }
  for (const [name, key] of Object.entries(FLAGS)) {
    state[name] = parts.has(key) ? parts.get(key) === '1' : DEFAULTS[name];
  }
  state.window = readWindow(parts.get('t'));
  state.selection = readRange(parts.get('s'));
  state.view = VIEWS.includes(parts.get('v')) ? parts.get('v') : DEFAULTS.view;
  state.zoom = parseInt(parts.get('z') || '0', 16) | 0;
  state.thread = Number(parts.get('tid')) || 0;
  state.picked = parts.has('fn') ? { name: parts.get('fn'), module: parts.get('fm') || '' } : null;
  state.changes = parts
    .getAll('x')
    .map((text) => /^(focus|exclude|hide):(.+)$/s.exec(text))
    .filter(Boolean)
    .map(([, what, name]) => ({ what, name }));
  state.compare = readCompare(parts);
  return state;
}

export function write(state) {
  const parts = new URLSearchParams();
  const { window, selection, compare, picked } = state;
  const whole = window.last ? durationText(window.last) : writeRange(window);
  if (whole !== durationText(DEFAULTS.window.last)) {
    parts.set('t', whole);
  }
  if (selection) {
    parts.set('s', writeRange(selection));
  }
  for (const [name, key] of Object.entries(TEXTS)) {
    if (state[name] !== DEFAULTS[name]) {
      parts.set(key, state[name]);
    }
  }
  for (const [name, key] of Object.entries(FLAGS)) {
    if (state[name] !== DEFAULTS[name]) {
      parts.set(key, state[name] ? '1' : '0');
    }
  }
  if (state.view !== DEFAULTS.view) {
    parts.set('v', state.view);
  }
  if (state.zoom) {
    parts.set('z', (state.zoom >>> 0).toString(16));
  }
  if (state.thread) {
    parts.set('tid', state.thread);
  }
  if (picked) {
    parts.set('fn', picked.name);
    if (picked.module) {
      parts.set('fm', picked.module);
    }
  }
  for (const { what, name } of state.changes) {
    parts.append('x', `${what}:${name}`);
  }
  if (compare) {
    if (compare.to) {
      parts.set('c', writeRange(compare));
    }
    if (compare.query !== null && compare.query !== undefined) {
      parts.set('cq', compare.query);
    }
  }
  const text = parts.toString();
  return text ? '#' + text : '#';
}
