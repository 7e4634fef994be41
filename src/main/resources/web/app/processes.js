// Processes: what each had of the selection.
import { h } from '../lib/preact.js';
import { amount, grouped, percent } from '../flame/numbers.js';
import { emptyNote, errorNote } from './parts.js';
import { withMatcher } from './selector.js';
import { clock, day } from './time.js';
import { typeText } from './units.js';

/** The share of a process's samples that are complete and named, never rounded up to 100 %. */
function quality({ samples, cut, unnamed }) {
  if (!samples) {
    return '–';
  }
  const share = Math.min(1 - cut / samples, 1 - unnamed / samples);
  return `${(Math.floor(share * 1000) / 10).toFixed(1)}\u202f%`;
}

export function ProcessView({ model }) {
  const answer = model.answers.processes || {};
  const memory = model.answers.memory && model.answers.memory.data;
  const { order, search: part } = model.now;
  const sort = { key: order.replace(/^-/, ''), up: order.startsWith('-') };
  if (answer.error) {
    return h('main', {}, errorNote(model, answer.error));
  }
  if (!answer.data) {
    return h('main', {});
  }
  const inUse = new Map((memory ? memory.processes : []).map((p) => [p.pid, p.value]));
  const all = answer.data.processes.map((p) => ({ ...p, memory: inUse.get(p.pid) || 0 }));
  if (all.length === 0) {
    return h('main', {}, emptyNote(model));
  }
  const { type } = model;
  const total = all.reduce((sum, process) => sum + process.value, 0);
  const columns = [
    ['comm', 'Process', (p) => h('bdi', {}, p.comm || '(no name)'), 'left wide'],
    ['pid', 'Pid', (p) => p.pid || '–'],
    ['language', 'Language', (p) => p.language || '–', 'left'],
    ['container', 'Container', (p) => p.container || '–', 'left'],
    ['threads', 'Threads', (p) => grouped(p.threads)],
    ['value', typeText(type), (p) => amount(p.value, { unit: type.unit, name: type.sample })],
    [
      'share',
      `% of ${amount(total, { unit: type.unit, name: type.sample })}`,
      (p) => percent(p.value, total),
      'share',
    ],
    ['samples', 'Samples', (p) => grouped(p.samples)],
    ...(memory
      ? [['memory', 'Memory in use', (p) => (p.memory ? amount(p.memory, { unit: 'bytes' }) : '–')]]
      : []),
    ['quality', 'Complete, named', quality],
    ['start', 'Started', (p) => (p.start ? startText(p.start) : '–')],
  ];
  const key = sort.key === 'share' ? 'value' : sort.key;
  const value = (p) =>
    key === 'quality' ? Math.min(1 - p.cut / p.samples, 1 - p.unnamed / p.samples) : p[key];
  const rows = all
    .filter((p) =>
      `${p.comm} ${p.pid} ${p.container} ${p.cgroup}`.toLowerCase().includes(part.toLowerCase()),
    )
    .sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return (typeof x === 'string' ? x.localeCompare(y) : x - y) * (sort.up ? 1 : -1);
    });
  const choose = (process) =>
    model.set({
      query: withMatcher(model.now.query, 'pid', '=', String(process.pid)),
      view: 'flame',
      zoom: 0,
    });
  return [
    h(
      'div',
      { id: 'tools' },
      h('input', {
        id: 'search',
        type: 'search',
        placeholder: 'Search  /',
        'aria-label': 'Search processes',
        value: part,
        onInput: (event) => model.set({ search: event.target.value }, true),
      }),
      h(
        'span',
        { class: 'soft' },
        `${grouped(rows.length)} of ${all.length === 1000 ? 'the largest 1 000' : grouped(all.length)} processes; a click shows one alone`,
      ),
    ),
    h(
      'main',
      { class: answer.busy ? 'busy' : '' },
      h(
        'div',
        { class: 'scroll grid', tabIndex: 0, id: 'process-view' },
        h(
          'table',
          {},
          h(
            'thead',
            {},
            h(
              'tr',
              {},
              columns.map(([name, title, , style]) =>
                h(
                  'th',
                  {
                    scope: 'col',
                    class: style,
                    'aria-sort':
                      sort.key === name ? (sort.up ? 'ascending' : 'descending') : undefined,
                  },
                  h(
                    'button',
                    {
                      type: 'button',
                      onClick: () => model.set({ order: orderAfter(sort, name, style) }),
                    },
                    title,
                  ),
                ),
              ),
            ),
          ),
          h(
            'tbody',
            {},
            rows.slice(0, 1000).map((process) =>
              h(
                'tr',
                {
                  key: `${process.pid}-${process.start}-${process.comm}`,
                  tabIndex: 0,
                  title: process.cgroup,
                  onClick: () => choose(process),
                  onKeyDown: (event) => event.key === 'Enter' && choose(process),
                },
                columns.map(([name, , text, style]) =>
                  h(
                    'td',
                    name === 'share'
                      ? {
                          class: 'share',
                          style: { backgroundSize: `${(100 * process.value) / total}% 18px` },
                        }
                      : { class: style },
                    text(process),
                  ),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  ];
}

/** A click on a heading: the other way round, or this column from its best end. */
function orderAfter(sort, name, style) {
  const up = sort.key === name ? !sort.up : Boolean(style && style.startsWith('left'));
  return (up ? '-' : '') + name;
}

function startText(millis) {
  const old = Date.now() - millis > 12 * 3600e3;
  return old ? `${day(millis)} ${clock(millis, false)}` : clock(millis);
}
