// Small pieces that several views use.
import { h } from '../lib/preact.js';
import { useLayoutEffect, useRef } from '../lib/hooks.js';
import { rangeText } from './time.js';

/** Nodes made without preact, within it. */
export function Nodes({ tag = 'div', nodes, ...props }) {
  const holder = useRef(null);
  useLayoutEffect(() => holder.current.replaceChildren(...nodes));
  return h(tag, { ...props, ref: holder });
}

/** What to say where there is nothing to show, and what to do about it. */
export function Note({ title, text, actions = [] }) {
  return h(
    'div',
    { class: 'note', role: 'status' },
    h('h2', {}, title),
    text && h('p', {}, text),
    actions.length > 0 &&
      h(
        'p',
        {},
        actions.map(([label, act]) => h('button', { type: 'button', onClick: act }, label)),
      ),
  );
}

/** Why a view has nothing: an error, no data in the range, a filter that fits nothing. */
export function emptyNote(model) {
  const { now, info } = model;
  const range = model.range();
  const actions = [];
  if (now.selection) {
    actions.push(['Select the whole window', () => model.set({ selection: null })]);
  }
  if (now.query) {
    actions.push(['Remove the filter', () => model.set({ query: '' })]);
  }
  if (now.changes.length) {
    actions.push(['Show all frames', () => model.set({ changes: [] })]);
  }
  const { span } = info;
  const outside = span && (range.to <= span.from || range.from >= span.to);
  if (span) {
    const from = Math.max(span.from, span.to - 3600e3);
    actions.push([
      'Go to the newest data',
      () => model.set({ window: { from: Math.floor(from), to: Math.ceil(span.to) }, selection: null }),
    ]);
  }
  const text = outside
    ? `There is data from ${rangeText(span)}.`
    : now.query
      ? `Nothing of this type matches ${now.query}.`
      : 'No sample of this type fell into it.';
  return h(Note, { title: 'Nothing in this selection', text, actions });
}

export function errorNote(model, error) {
  const actions = [];
  if (model.now.query) {
    actions.push(['Remove the filter', () => model.set({ query: '' })]);
  }
  if (error.status === 413) {
    const { from, to } = model.range();
    actions.unshift([
      'Select its last second',
      () => model.set({ window: model.window(), selection: { from: Math.max(from, to - 1000), to, low: 0, high: 1000 } }),
    ]);
    actions.push([
      'Select its last tenth',
      () =>
        model.set({
          window: model.window(),
          selection: { from: Math.round(to - (to - from) / 10), to, low: 0, high: 1000 },
        }),
    ]);
  }
  return h(Note, { title: 'This cannot be shown', text: error.message, actions });
}
