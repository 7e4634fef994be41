// Above the views: how much at which time, and when in each second.
import { h } from '../lib/preact.js';
import { useEffect, useLayoutEffect, useRef, useState } from '../lib/hooks.js';
import { isWhole } from './address.js';
import { brush } from './brush.js';
import { chartHit, drawChart, scaleOf, seriesColours, seriesName } from './chart.js';
import { drawHeat, heatHit } from './heat.js';
import { clock, lengthText, rangeText } from './time.js';
import { overTime } from './units.js';
import { inkOf } from './theme.js';
import { withMatcher } from './selector.js';

const GROUPS = ['comm', 'service_name', 'container', 'cgroup', 'pid', 'thread', 'host', 'reason'];

export function Overview({ model, theme }) {
  const { now, type } = model;
  const chart = useRef(null);
  const heat = useRef(null);
  const [drag, setDrag] = useState(null);
  const [hover, setHover] = useState(null);
  const [cell, setCell] = useState(null);
  const [lit, setLit] = useState(-1);
  const [size, setSize] = useState(0);
  const window = model.window();
  const timeline = model.answers.timeline || {};
  const heatmap = model.answers.heatmap || {};
  const about = overTime(type);
  const ink = inkOf(theme);
  const series = timeline.data ? timeline.data.series : [];
  const colours = seriesColours(series, now.by, theme);
  const latest = useRef({});
  latest.current = { window, model, data: timeline.data, rate: about.rate, heat: heatmap.data };

  useEffect(() => {
    const hears = {
      drag: (range, second) => setDrag(range && { range, second }),
      done: (range, second) => {
        setDrag(null);
        select(latest.current.model, range, second);
      },
      clear: () =>
        latest.current.model.now.selection && latest.current.model.set({ selection: null }),
      zoom: () => zoomWindow(latest.current.model),
      leave: () => {
        setHover(null);
        setCell(null);
      },
    };
    const get = () => latest.current;
    const hoverChart = (x, y) =>
      latest.current.data && setHover(chartHit(chart.current, latest.current, x, y));
    const hoverHeat = (x, y) =>
      latest.current.heat &&
      setCell(
        heatHit(heat.current, { data: latest.current.heat, window: latest.current.window }, x, y),
      );
    const ends = [
      brush(chart.current, get, { ...hears, hover: hoverChart }, false),
      brush(heat.current, get, { ...hears, hover: hoverHeat }, true),
    ];
    const observer = new ResizeObserver(() => setSize(chart.current.clientWidth));
    observer.observe(chart.current);
    return () => {
      ends.forEach((end) => end());
      observer.disconnect();
    };
  }, []);

  useLayoutEffect(() => {
    const at = hover ? hover.index : lit;
    if (timeline.data) {
      drawChart(chart.current, { data: timeline.data, window, ...about, colours, lit: at, ink });
    }
    if (heatmap.data) {
      drawHeat(heat.current, { data: heatmap.data, window, theme, ink });
    }
  });

  const marks = [
    now.compare && now.compare.to && { range: now.compare, kind: 'second' },
    now.selection && { range: now.selection, kind: 'first' },
    drag && { range: drag.range, kind: drag.second ? 'second' : 'first' },
  ].filter(Boolean);
  const width = size || (chart.current ? chart.current.clientWidth : 0);
  return h(
    'section',
    { id: 'time', 'aria-label': 'Time', class: timeline.busy && timeline.data ? 'busy' : '' },
    h(
      'div',
      { id: 'time-line' },
      h('b', {}, about.title),
      h(
        'label',
        { class: 'soft' },
        'by ',
        h(
          'select',
          {
            'aria-label': 'Group by',
            value: now.by,
            onChange: (event) => model.set({ by: event.target.value }),
          },
          groups(model).map((name) => h('option', { value: name }, name)),
        ),
      ),
      h(
        'ul',
        { id: 'series', 'aria-label': 'Series' },
        series.map((one, i) =>
          legendItem(one, i, { model, colours, hover, about, setLit, timeline }),
        ),
      ),
      h('span', { class: 'soft', id: 'when' }, whenText(model, hover, cell, about)),
    ),
    h(
      'div',
      { class: 'canvases' },
      h('canvas', {
        ref: chart,
        id: 'chart',
        role: 'img',
        'aria-label': `${about.title} over time. Drag selects a time, with Shift a second one to compare with.`,
      }),
      h('canvas', {
        ref: heat,
        id: 'heat',
        role: 'img',
        'aria-label': 'When in each second. Drag selects a rectangle.',
      }),
      marks.map(({ range, kind }) => mark(range, kind, window, width)),
    ),
  );
}

function groups(model) {
  const names = model.answers.labels && model.answers.labels.data;
  const all = new Set([...GROUPS.slice(0, 7), ...((names && names.names) || []), model.now.by]);
  return [...all];
}

function legendItem(one, index, { model, colours, hover, about, setLit, timeline }) {
  const { by } = model.now;
  const name = seriesName(one, by);
  const { step } = timeline.data;
  const span = Math.max(step, one.values.length * step);
  const value = hover ? hover.values[index] : about.rate(one.total, span);
  const value_ = about.title.endsWith('in use') && !hover ? value / one.values.length : value;
  const content = [
    h('span', { class: 'swatch', style: { background: colours[index] } }),
    h('bdi', {}, name),
    h('span', { class: 'number' }, about.text(value_ || 0)),
  ];
  const props = { onMouseEnter: () => setLit(index), onMouseLeave: () => setLit(-1) };
  if (one.rest || Object.keys(one.labels).length === 0) {
    return h('li', props, content);
  }
  const filter = () =>
    model.set({ query: withMatcher(model.now.query, by, '=', one.labels[by] || '') });
  return h(
    'li',
    props,
    h('button', { type: 'button', onClick: filter, title: `Show ${by} ${name} only` }, content),
  );
}

function whenText(model, hover, cell, about) {
  if (cell) {
    const rate = about.rate(cell.value, (cell.high - cell.low) * cell.seconds);
    return `${clock(cell.at)} · ${cell.low}–${cell.high} ms · ${about.text(rate)}`;
  }
  if (hover) {
    return clock(hover.at);
  }
  const { selection } = model.now;
  const window = model.window();
  if (!selection) {
    return `${rangeText(window)} · ${lengthText(window.to - window.from)}`;
  }
  const part = isWhole(selection) ? '' : ` · ${selection.low}–${selection.high} ms of each second`;
  return `selected ${rangeText(selection)} · ${lengthText(selection.to - selection.from)}${part}`;
}

/** Two rectangles: one over the chart, one over the heatmap. */
function mark(range, kind, window, width) {
  const scale = scaleOf(window, width);
  const left = Math.max(scale.x(window.from), scale.x(range.from));
  const right = Math.min(scale.x(window.to), scale.x(range.to));
  if (right <= left) {
    return null;
  }
  const place = { left: `${left}px`, width: `${Math.max(2, right - left)}px` };
  const low = range.low || 0;
  const high = range.high || 1000;
  return h(
    'div',
    {},
    h('div', { class: `mark ${kind} on-chart`, style: place }),
    h(
      'div',
      { class: `on-heat ${kind}`, style: place },
      h('div', {
        class: `mark ${kind}`,
        style: { top: `${low / 10}%`, height: `${(high - low) / 10}%`, width: '100%' },
      }),
    ),
  );
}

/** What was dragged: a selection; with Shift, what it is compared with. Both stop the clock. */
function select(model, range, second) {
  const window = model.window();
  if (!second) {
    model.set({ window, selection: range, zoom: 0 });
    return;
  }
  const query = model.now.compare ? model.now.compare.query : null;
  model.set({ window, compare: { ...range, query }, zoom: 0 });
}

function zoomWindow(model) {
  const { selection } = model.now;
  if (selection) {
    model.set({ window: { from: selection.from, to: selection.to } });
  }
}
