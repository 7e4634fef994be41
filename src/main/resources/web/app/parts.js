// Small pieces that several views use.
import { h } from '../lib/preact.js';
import { useEffect, useLayoutEffect, useRef, useState } from '../lib/hooks.js';
import { ask } from './ask.js';
import { parseSelector } from './selector.js';
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

export function emptyNote(model) {
  return h(Empty, { model });
}

/** Which matchers of a filter find nothing by themselves. */
function useMisfits(model) {
  const [misfits, setMisfits] = useState([]);
  const { query } = model.now;
  useEffect(() => {
    let over = false;
    const { from, to } = model.window();
    const equal = (parseSelector(query) || []).filter((m) => m.operator === '=' && m.value !== '');
    Promise.all(
      equal.map(async ({ name, value }) => {
        const { values } = await ask('labels', { name, contains: value, from, to });
        return values.includes(value) ? '' : `${name} “${value}”`;
      }),
    )
      .then((found) => !over && setMisfits(found.filter(Boolean)))
      .catch(() => {});
    return () => {
      over = true;
    };
  }, [query]);
  return misfits;
}

/** Why a view has nothing: no data in the range, a filter that fits nothing. */
function Empty({ model }) {
  const misfits = useMisfits(model);
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
      () =>
        model.set({ window: { from: Math.floor(from), to: Math.ceil(span.to) }, selection: null }),
    ]);
  }
  const text = outside
    ? `There is data from ${rangeText(span)}.`
    : now.query
      ? `Nothing of this type matches ${now.query}.` +
        (misfits.length ? ` In this window there is no ${misfits.join(' and no ')}.` : '')
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
      () =>
        model.set({
          window: model.window(),
          selection: { from: Math.max(from, to - 1000), to, low: 0, high: 1000 },
        }),
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
