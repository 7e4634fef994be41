// The hottest lines, and a file with what each of its lines took.
import { h } from '../lib/preact.js';
import { useEffect, useRef } from '../lib/hooks.js';
import { amount, percent } from '../flame/numbers.js';
import { errorNote, Note } from './parts.js';

export function SourceView({ model }) {
  const answer = model.answers.source || {};
  const { now } = model;
  if (answer.error) {
    return h('main', {}, errorNote(model, answer.error));
  }
  const { data } = answer;
  if (!data) {
    return h('main', {});
  }
  const content =
    now.file && data.text !== undefined ? h(File, { model, data }) : h(Lines, { model, data });
  return h('main', { class: answer.busy ? 'busy' : '' }, content);
}

const cells = (data, line) => {
  const type = { name: data.name, unit: data.unit };
  return [
    h('td', { class: 'number' }, line && line.self ? amount(line.self, type) : ''),
    h(
      'td',
      {
        class: 'share',
        style: { backgroundSize: `${line ? (100 * line.self) / data.sum : 0}% 18px` },
      },
      line && line.self ? percent(line.self, data.sum) : '',
    ),
    h('td', { class: 'number soft' }, line ? percent(line.total, data.sum) : ''),
  ];
};

function heads(data) {
  const base = amount(data.sum, { name: data.name, unit: data.unit });
  return ['Self', `% of ${base}`, 'Total'].map((text) => h('th', { scope: 'col' }, text));
}

function Lines({ model, data }) {
  const { picked } = model.now;
  const lines = picked
    ? [...data.lines].sort((a, b) => (b.function === picked.name) - (a.function === picked.name))
    : data.lines;
  if (lines.length === 0) {
    return h(Note, {
      title: 'No source lines are known',
      text: 'Lines come from debug information: install the debuginfo packages of the programs, or start Plumb with a debuginfod server. Interpreted and JIT code names its own lines.',
    });
  }
  const open = (line) => model.set({ file: line.file });
  return h(
    'div',
    { class: 'scroll grid', tabIndex: 0, id: 'source-view' },
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col', class: 'left wide' }, 'Line'),
          h('th', { scope: 'col', class: 'left wide' }, 'Function'),
          heads(data),
        ),
      ),
      h(
        'tbody',
        {},
        lines.map((line) =>
          h(
            'tr',
            {
              key: `${line.file}:${line.line}`,
              tabIndex: 0,
              class: picked && line.function === picked.name ? 'selected' : '',
              onClick: () => open(line),
              onKeyDown: (event) => event.key === 'Enter' && open(line),
            },
            h(
              'td',
              { class: 'left', title: line.file },
              h('bdi', {}, `${line.file.split('/').slice(-2).join('/')}:${line.line}`),
            ),
            h('td', { class: 'left', title: line.function }, h('bdi', {}, line.function)),
            cells(data, line),
          ),
        ),
      ),
    ),
  );
}

function File({ model, data }) {
  const { file } = model.now;
  const hottest = useRef(null);
  const byLine = new Map(data.lines.map((line) => [line.line, line]));
  useEffect(() => hottest.current && hottest.current.scrollIntoView({ block: 'center' }), [file]);
  const top = data.lines.length ? data.lines[0].line : 0;
  const text = data.text.length ? data.text : null;
  const rows = text
    ? text.map((content, i) => [i + 1, content])
    : [...byLine.keys()].sort((a, b) => a - b).map((line) => [line, byLine.get(line).function]);
  return h(
    'div',
    { class: 'scroll grid code', tabIndex: 0, id: 'source-file' },
    h(
      'div',
      { class: 'hint' },
      h('button', { type: 'button', onClick: () => model.set({ file: '' }) }, '‹ all files'),
      h('b', {}, h('bdi', {}, file)),
      !text &&
        h(
          'span',
          { class: 'soft' },
          `The text is not shown: ${data.why}. These are the lines with samples.`,
        ),
    ),
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          heads(data),
          h('th', { scope: 'col', class: 'left' }, ''),
          h('th', { scope: 'col', class: 'left widest' }, text ? 'Source' : 'Function'),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map(([number, content]) =>
          h(
            'tr',
            { ref: number === top ? hottest : undefined, class: byLine.has(number) ? 'hot' : '' },
            cells(data, byLine.get(number)),
            h('td', { class: 'number soft' }, number),
            h('td', { class: 'left text' }, content),
          ),
        ),
      ),
    ),
  );
}
