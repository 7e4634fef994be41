// Time-ordered lanes: a row per thread or per CPU.
import { h } from '../lib/preact.js';
import { useEffect, useLayoutEffect, useRef } from '../lib/hooks.js';
import { grouped } from '../flame/numbers.js';
import { LaneCanvas } from './lanecanvas.js';
import { cpuLanes, threadChart, threadLanes } from './laneitems.js';
import { emptyNote, errorNote } from './parts.js';
import { lengthText } from './time.js';

function Lanes({ model, theme, sight, name, make, label, hint }) {
  const answer = model.answers[name] || {};
  const holder = useRef(null);
  const spacer = useRef(null);
  const canvas = useRef(null);
  const painter = useRef(null);
  const made = useRef({ data: null, lanes: null });
  if (answer.data && made.current.data !== answer.data) {
    made.current = { data: answer.data, lanes: make(answer.data), charts: new Map() };
  }
  const { thread } = model.now;
  const alone = Boolean(thread && name === 'threads' && made.current.lanes);
  if (alone && !made.current.charts.has(thread)) {
    made.current.charts.set(thread, threadChart(made.current.lanes, thread));
  }
  const lanes = alone ? made.current.charts.get(thread) : made.current.lanes;
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
        open: (row) => row.tid > 0 && model.set({ thread: row.tid }),
      });
      sight.lanes = painter.current;
    }
    painter.current.show(lanes, theme, model.laneRange());
  });
  return [
    alone && h(ThreadHead, { model, lanes }),
    !alone &&
      h(
        'div',
        { id: 'tools' },
        h(
          'span',
          { class: 'soft' },
          lanes
            ? `${shownText(model)}${grouped(lanes.rows.length)} ${label}, ${grouped(lanes.count)} samples. ${hint}`
            : '',
        ),
      ),
    h(
      'main',
      { class: answer.busy && lanes ? 'busy' : '' },
      answer.error
        ? errorNote(model, answer.error)
        : empty
          ? emptyNote(model)
          : h(
              'div',
              {
                class: 'scroll',
                ref: holder,
                tabIndex: 0,
                id: `${name}-view`,
                role: 'application',
                'aria-label': `${label} over time`,
                'aria-describedby': 'foot',
              },
              h(
                'div',
                { ref: spacer, class: 'spacer' },
                h('canvas', { ref: canvas, class: 'canvas' }),
              ),
            ),
    ),
  ];
}

/** Lanes show single samples: of a long window the end only. */
function shownText(model) {
  const shown = model.laneRange();
  const range = model.range();
  return shown.from > range.from ? `The last ${lengthText(shown.to - shown.from)}: ` : '';
}

function ThreadHead({ model, lanes }) {
  const { chart } = lanes;
  return h(
    'div',
    { id: 'tools' },
    h('button', { type: 'button', onClick: () => model.set({ thread: 0 }) }, '‹ all threads'),
    h('b', {}, h('bdi', {}, chart ? chart.title : `thread ${model.now.thread}`)),
    h(
      'span',
      { class: 'soft' },
      chart ? `${chart.sub} · stacks over time, ${grouped(lanes.count)} samples and waits` : '',
    ),
  );
}

export function ThreadView(props) {
  return h(Lanes, {
    ...props,
    name: 'threads',
    make: threadLanes,
    label: 'threads',
    hint: 'Colour: on CPU; grey: off CPU, by reason; the waker on hover. A click on a name shows the thread’s stacks. Drag selects a time, Ctrl and the wheel zoom.',
  });
}

export function CpuView(props) {
  return h(Lanes, {
    ...props,
    name: 'cpus',
    make: cpuLanes,
    label: 'CPUs',
    hint: 'Each mark is a sample of the task that ran; with the mode load, green to red by how many wanted the CPU.',
  });
}
