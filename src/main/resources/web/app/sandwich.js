// A function between what calls it and what it calls.
import { h } from '../lib/preact.js';
import { useRef } from '../lib/hooks.js';
import { percent } from '../flame/numbers.js';
import { Kind } from '../flame/data.js';
import { FrameViews, frameOf, showFoot } from './frames.js';
import { entries } from './menu.js';
import { errorNote } from './parts.js';
import { Picture } from './picture.js';
import { Stage } from './stage.js';

const PLAIN = { changes: [], recursion: true, modules: false, kernel: true, zoom: 0 };

export function SandwichView({ model, picture, theme, sight }) {
  const { now } = model;
  const halves = useRef(null);
  if (!halves.current) {
    halves.current = {
      callers: new Picture(model.changed),
      callees: new Picture(model.changed),
      answer: null,
    };
  }
  if (!now.picked) {
    return h(Chooser, { model, picture, theme, sight });
  }
  const answer = model.answers.sandwich || {};
  const { callers, callees } = halves.current;
  if (answer.data && halves.current.answer !== answer.data) {
    halves.current.answer = answer.data;
    const { follows } = answer.data;
    callers.take({ ...answer.data.callers, follows });
    callees.take({ ...answer.data.callees, follows });
  }
  const state = { ...PLAIN, search: now.search, colour: now.colour };
  const above = callers.show(state);
  const below = callees.show(state);
  if (below && !answer.error) {
    queueMicrotask(() => {
      const foot = document.getElementById('foot');
      if (foot && foot.childElementCount === 0) {
        showFoot(below, below.tree.count > 1 ? 1 : 0);
      }
    });
  }
  const stage = (view, upward, id, label) => {
    const pick = (node) => {
      const frame = frameOf(view, node);
      if (frame.kind > Kind.PROCESS && frame.kind < Kind.WAITING) {
        model.set({ picked: { name: frame.name, module: frame.module } });
      }
    };
    return h(Stage, {
      view,
      theme,
      upward,
      id,
      label,
      hears: {
        hover: (node) => node >= 0 && showFoot(view, node),
        zoom: pick,
        focus: () => {},
        menu: (node, x, y) => {
          const frame = frameOf(view, node);
          sight.openMenu({ at: { x, y }, list: entries(model, frame), title: frame.name });
        },
      },
    });
  };
  return [
    h(Head, { model, view: below, picture }),
    h(
      'main',
      { class: answer.busy && answer.data ? 'busy' : '' },
      answer.error
        ? errorNote(model, answer.error)
        : h(
            'div',
            { class: 'halves' },
            h(
              'div',
              { class: 'half' },
              stage(above, true, 'callers', 'Callers, the nearest at the bottom'),
            ),
            h(
              'div',
              { class: 'between soft' },
              '↑ callers    ↓ callees — click a function to choose it',
            ),
            h(
              'div',
              { class: 'half' },
              stage(below, false, 'callees', 'Callees, the nearest at the top'),
            ),
          ),
    ),
  ];
}

function Head({ model, view }) {
  const { picked } = model.now;
  const total = view ? view.measure.base(view.tree) : '';
  const first = view && view.tree.count > 1 ? 1 : 0;
  const self = view
    ? percent(
        view.tree.self[view.measure.columns[0]][first],
        view.tree.total[view.measure.columns[0]][0],
      )
    : '';
  return h(
    'div',
    { id: 'tools' },
    h('b', { class: 'picked', title: picked.name }, h('bdi', {}, picked.name)),
    h('span', { class: 'soft' }, picked.module.split('/').pop()),
    view && h('span', { class: 'soft' }, `${total}; itself ${self} of that`),
    h('span', { class: 'space' }),
    h('button', { type: 'button', onClick: () => model.set({ picked: null }) }, 'Choose another'),
    h(
      'button',
      {
        type: 'button',
        onClick: () => model.set({ view: 'flame', search: `"${picked.name}"` }),
      },
      'Show in flame graph',
    ),
  );
}

/** Without a function: the table to choose one from. */
function Chooser(props) {
  return [
    h('div', { class: 'hint soft' }, 'Choose a function to see its callers and callees.'),
    h(FrameViews, props),
  ];
}
