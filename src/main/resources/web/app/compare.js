// The line that says what is compared with what.
import { h } from '../lib/preact.js';
import { isWhole } from './address.js';
import { lengthText, rangeText } from './time.js';

/** The same length just before what is selected; of the whole window, its first half. */
export function startCompare(model) {
  const { selection } = model.now;
  const window = model.window();
  if (selection) {
    const length = selection.to - selection.from;
    const from = selection.from - length;
    const compare = { ...selection, from, to: selection.from, query: null };
    const wider = from < window.from ? { from, to: window.to } : window;
    model.set({ window: wider, compare, zoom: 0 });
    return;
  }
  const middle = Math.round((window.from + window.to) / 2);
  const part = { low: 0, high: 1000 };
  model.set({
    window,
    selection: { from: middle, to: window.to, ...part },
    compare: { from: window.from, to: middle, ...part, query: null },
    zoom: 0,
  });
}

/** Which side has no samples at all, so that everything looks changed. */
function emptySide(picture, data) {
  const { loaded } = picture;
  if (!loaded || !data || !data.compared || loaded.answer !== data) {
    return '';
  }
  const [a, b] = data.values.slice(0, 2).map(({ column }) => loaded.whole.total[column][0]);
  return a === 0 ? 'first' : b === 0 ? 'second' : '';
}

export function compareLine(model, picture) {
  const { now } = model;
  const { compare } = now;
  if (!compare) {
    return null;
  }
  const side = (range, query) => {
    const part = isWhole(range) ? '' : ` · ${range.low}–${range.high} ms`;
    return `${rangeText(range)} (${lengthText(range.to - range.from)})${part}${query ? ' ' + query : ''}`;
  };
  const before = compare.to ? compare : model.range();
  const missing = emptySide(picture, model.answers.graph && model.answers.graph.data);
  return h(
    'div',
    { id: 'compare-line' },
    h('span', { class: 'side second' }, side(before, compare.query ?? now.query)),
    h('span', { class: 'soft' }, '→'),
    h('span', { class: 'side first' }, side(model.range(), now.query)),
    missing && h('b', { class: 'poor-text', role: 'status' }, `Nothing in the ${missing}`),
    h('span', { class: 'space' }),
    h('input', {
      type: 'text',
      value: compare.query ?? now.query,
      placeholder: 'filter of the first side',
      'aria-label': 'Filter of the first side',
      spellcheck: false,
      onChange: (event) =>
        model.set({ compare: { ...compare, query: event.target.value.trim() }, zoom: 0 }),
    }),
    h(
      'label',
      {},
      h('input', {
        type: 'checkbox',
        checked: !now.absolute,
        onChange: (event) => model.set({ absolute: !event.target.checked }),
      }),
      ' as shares of each side',
    ),
    h(
      'button',
      { type: 'button', onClick: () => model.set({ compare: null, absolute: false }) },
      'Stop comparing',
    ),
  );
}
