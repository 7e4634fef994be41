// What opens on a click: keys and quality.
import { h } from '../lib/preact.js';
import { qualityPanel } from '../flame/panels.js';
import { amount, percent } from '../flame/numbers.js';
import { Nodes } from './parts.js';
import { lengthText } from './time.js';

export const KEYS = [
  ['/', 'search; "name" exactly, /…/ as a pattern'],
  ['g f', 'flame graph'],
  ['g t', 'table'],
  ['g s', 'sandwich: callers and callees'],
  ['g h', 'threads over time'],
  ['g c', 'CPUs over time'],
  ['g p', 'processes'],
  ['g l', 'lines of source'],
  ['g q', 'quality'],
  ['[ ]', 'earlier, later'],
  ['+ −', 'a wider or narrower window'],
  ['d', 'compare with the time before; again: stop'],
  ['.', 'live or paused'],
  ['u', 'up: zoom out by one frame'],
  ['r', 'reset zoom, search and hidden frames'],
  ['k', 'show or hide kernel frames'],
  ['← ↑ → ↓', 'move the selected frame'],
  ['Enter', 'zoom to it; with Shift its menu'],
  ['Esc', 'close, or clear search, zoom, selection'],
  ['?', 'these keys'],
];

const GESTURES = [
  ['drag', 'on the chart: select a time; click: all of it; double click: zoom into it'],
  ['Shift', 'and drag: a second time, to compare with'],
  ['drag', 'on the heatmap: a part of each second'],
  ['click', 'on a frame: zoom; double click: focus; right click: more'],
];

export function HelpPanel() {
  const rows = (list) =>
    list.map(([keys, text]) =>
      h(
        'tr',
        {},
        h(
          'td',
          {},
          keys.split(' ').map((key) => [h('kbd', {}, key), ' ']),
        ),
        h('td', {}, text),
      ),
    );
  return h(
    'div',
    { id: 'panel', role: 'dialog', 'aria-label': 'Keys' },
    h('h2', {}, 'Keys'),
    h('table', {}, h('tbody', {}, rows(KEYS))),
    h('h3', {}, 'Pointer'),
    h('table', {}, h('tbody', {}, rows(GESTURES))),
  );
}

function costText({ upSeconds, cpuSeconds, residentBytes }) {
  const used = amount(cpuSeconds * 1e9, { unit: 'nanoseconds' });
  const memory = amount(residentBytes, { unit: 'bytes' });
  const up = lengthText(upSeconds * 1000);
  return `${percent(cpuSeconds, upSeconds)} of one core since its start (${used} in ${up}), ${memory} of memory now, collecting, storing and serving together.`;
}

export function QualityView({ model, cut }) {
  const { data, error } = model.answers.quality || {};
  if (error) {
    return h('div', { class: 'page' }, h('p', {}, error.message));
  }
  if (!data) {
    return h('div', { class: 'page' });
  }
  return h(
    'div',
    { class: 'page prose', id: 'quality-view', tabIndex: 0 },
    h(Nodes, { nodes: qualityPanel(data, cut) }),
    h('h3', {}, 'What Plumb itself costs'),
    h('p', {}, costText(model.info.self)),
  );
}
