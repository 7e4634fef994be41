// Time-ordered lanes: a row a thread, or a row a CPU.
import { h } from '../lib/preact.js';
import { useEffect, useLayoutEffect, useRef } from '../lib/hooks.js';
import { hash, kindColour } from '../flame/colour.js';
import { grouped } from '../flame/numbers.js';
import { LaneCanvas } from './lanecanvas.js';
import { cpuLanes, threadLanes } from './laneitems.js';
import { emptyNote, errorNote } from './parts.js';

function Lanes({ model, theme, sight, name, make, label, hint }) {
  const answer = model.answers[name] || {};
  const holder = useRef(null);
  const spacer = useRef(null);
  const canvas = useRef(null);
  const painter = useRef(null);
  const made = useRef({ data: null, lanes: null });
  if (answer.data && made.current.data !== answer.data) {
    made.current = { data: answer.data, lanes: make(answer.data) };
  }
  const { lanes } = made.current;
  const empty = lanes && lanes.rows.length === 0;
  const shown = lanes && !empty && !answer.error;
  useEffect(() => {
    painter.current = null;
  }, [shown]);
  useLayoutEffect(() => {
    if (!shown) {
      return;
    }
    if (!painter.current || painter.current.canvas !== canvas.current) {
      painter.current = new LaneCanvas(holder.current, spacer.current, canvas.current, {
        hover: (nodes) => document.getElementById('foot').replaceChildren(...nodes),
        select: (range) =>
          model.set({ window: model.window(), selection: { ...range, low: 0, high: 1000 } }),
      });
      sight.lanes = painter.current;
    }
    painter.current.show(lanes, theme, model.range());
  });
  return [
    h('div', { id: 'tools' }, h('span', { class: 'soft' }, lanes ? `${grouped(lanes.rows.length)} ${label}, ${grouped(lanes.count)} samples. ${hint}` : '')),
    h(
      'main',
      { class: answer.busy && lanes ? 'busy' : '' },
      answer.error
        ? errorNote(model, answer.error)
        : empty
          ? emptyNote(model)
          : h(
              'div',
              { class: 'scroll', ref: holder, tabIndex: 0, id: `${name}-view`, role: 'application', 'aria-label': `${label} over time`, 'aria-describedby': 'foot' },
              h('div', { ref: spacer, class: 'spacer' }, h('canvas', { ref: canvas, class: 'canvas' })),
            ),
    ),
  ];
}

export function ThreadView(props) {
  return h(Lanes, {
    ...props,
    name: 'threads',
    make: threadLanes,
    label: 'threads',
    hint: 'Colour: on CPU; grey: off CPU, by reason. The waker on hover. Drag selects a time; the wheel with Ctrl zooms.',
  });
}

export function CpuView(props) {
  return h(Lanes, {
    ...props,
    name: 'cpus',
    make: cpuLanes,
    label: 'CPUs',
    hint: 'Each mark is a sample of the task that ran; redder where more tasks waited for the CPU.',
  });
}
