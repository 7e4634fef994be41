// The flame graph and its twin, the table.
import { h } from '../lib/preact.js';
import { percent } from '../flame/numbers.js';
import { foot, legend, path } from '../flame/lines.js';
import { Kind } from '../flame/data.js';
import { cutText } from '../flame/measure.js';
import { startCompare } from './compare.js';
import { entries } from './menu.js';
import { emptyNote, errorNote, Nodes } from './parts.js';
import { hashOf, matchedOf, nameOf, stackOf } from './picture.js';
import { Sheet } from './sheet.js';
import { Stage } from './stage.js';

/** The frame of a node, as menus need it. */
export function frameOf(view, node) {
  const symbol = view.tree.symbol[node];
  const stack = stackOf(view, node);
  let process = '';
  for (let at = node; at > 0; at = view.tree.parent[at]) {
    if (view.symbols.kinds[view.tree.symbol[at]] === Kind.PROCESS) {
      process = nameOf(view, at);
    }
  }
  return {
    name: view.symbols.names[symbol],
    module: view.symbols.modules[symbol],
    kind: view.symbols.kinds[symbol],
    process,
    stack,
  };
}

export function showFoot(view, node) {
  const place = document.getElementById('foot');
  if (place && view) {
    place.replaceChildren(...foot(view, node >= 0 ? node : view.zoom));
  }
}

export function FrameViews({ model, picture, theme, sight }) {
  const { now } = model;
  const answer = model.answers.graph || {};
  const view = picture.show(now);
  const empty =
    view &&
    view.tree.total[view.measure.columns[0]][0] === 0 &&
    (!view.profile.compared || view.tree.total[view.measure.columns[1]][0] === 0);
  if (view && !answer.error) {
    const hovered = sight.graph && now.view === 'flame' ? sight.graph.hovered : -1;
    const selected = sight.graph && now.view === 'flame' ? sight.graph.selected : -1;
    queueMicrotask(() =>
      showFoot(view, hovered >= 0 ? hovered : selected >= 0 ? selected : view.zoom),
    );
  }
  const hears = {
    hover: (node) => showFoot(view, node >= 0 ? node : sight.graph.selected),
    zoom: (node) => model.set({ zoom: hashOf(view, node) }),
    focus: (node) => {
      const frame = frameOf(view, node);
      if (frame.kind > Kind.PROCESS) {
        model.set(
          { changes: [...now.changes, { what: 'focus', name: frame.name }], zoom: 0 },
          true,
        );
      }
    },
    menu: (node, x, y) => {
      const frame = frameOf(view, node);
      sight.openMenu({ at: { x, y }, list: entries(model, frame), title: frame.name });
    },
  };
  return [
    h(Tools, { model, view, theme }),
    h(
      'main',
      { class: answer.busy && view ? 'busy' : '' },
      answer.error
        ? errorNote(model, answer.error)
        : empty
          ? emptyNote(model)
          : now.view === 'flame'
            ? h(Stage, {
                view,
                theme,
                upward: now.upward,
                hears,
                id: 'stage',
                label:
                  'Flame graph. Arrow keys move, Enter zooms, u goes up; g t shows the same as a table.',
                hold: (graph) => (sight.graph = graph),
              })
            : h(Sheet, {
                model,
                view,
                theme,
                pick: ({ name, module }) =>
                  model.set({ view: 'sandwich', picked: { name, module } }),
                menu: (frame, x, y) =>
                  sight.openMenu({ at: { x, y }, list: entries(model, frame), title: frame.name }),
              }),
    ),
  ];
}

/** The line above a graph: where it is zoomed to, the search, what is drawn how. */
export function Tools({ model, view, theme, plain = false }) {
  const { now } = model;
  const matched = view ? matchedOf(view) : null;
  const toggle = (name, text, title, pressed = now[name]) =>
    h(
      'button',
      {
        type: 'button',
        id: `toggle-${name}`,
        'aria-pressed': pressed,
        title,
        onClick: () => model.set({ [name]: !now[name] }),
      },
      text,
    );
  return [
    h(
      'div',
      { id: 'tools' },
      h('input', {
        id: 'search',
        type: 'search',
        value: now.search,
        placeholder: 'Search  /',
        'aria-label': 'Search functions and modules',
        spellcheck: false,
        autocomplete: 'off',
        onInput: (event) => model.set({ search: event.target.value }, true),
      }),
      h('output', { id: 'matched', for: 'search' }, matchedText(view, matched, now)),
      h('span', { class: 'space' }),
      now.view === 'flame' && toggle('upward', 'Root below', 'Root at the bottom: flames'),
      toggle('kernel', 'Kernel', 'Kernel frames (k)'),
      toggle('recursion', 'Recursion', 'Off: a function that calls itself is one frame'),
      toggle('modules', 'By module', 'Frames of one module as one'),
      !now.compare &&
        now.view === 'flame' &&
        h(
          'label',
          { class: 'soft' },
          'Colour ',
          h(
            'select',
            { value: now.colour, onChange: (event) => model.set({ colour: event.target.value }) },
            h('option', { value: 'kind' }, 'kind of code'),
            h('option', { value: 'package' }, 'package'),
          ),
        ),
      h(
        'button',
        {
          type: 'button',
          id: 'compare',
          'aria-pressed': Boolean(now.compare),
          title: 'Compare with the time before (d)',
          onClick: () => (now.compare ? model.set({ compare: null }) : startCompare(model)),
        },
        'Compare',
      ),
    ),
    now.changes.length > 0 && h(Changes, { model }),
    view &&
      h(
        'div',
        { id: 'path-line' },
        h(Nodes, {
          tag: 'ol',
          id: 'path',
          'aria-label': 'Zoomed to',
          nodes: path(view, (node) => model.set({ zoom: hashOf(view, node) })),
        }),
        h(
          'span',
          { class: 'soft cut', title: cutText(view.profile, view.tree, view.measure) },
          view.profile.cut && view.profile.cut.stacks > 0 ? 'small frames cut' : '',
        ),
        now.view === 'flame' &&
          h(Nodes, {
            tag: 'ul',
            id: 'legend',
            'aria-label': 'Colours',
            nodes:
              now.colour === 'package' && !now.compare
                ? []
                : legend(theme, view.symbols, view.profile.compared),
          }),
      ),
  ];
}

function Changes({ model }) {
  const { changes } = model.now;
  const words = { focus: 'only with', exclude: 'without', hide: 'hidden' };
  return h(
    'ul',
    { id: 'changes', 'aria-label': 'Changes of the graph' },
    changes.map((change, i) =>
      h(
        'li',
        {},
        h('span', { class: 'soft' }, words[change.what], ' '),
        h('bdi', {}, change.name),
        h(
          'button',
          {
            type: 'button',
            class: 'icon',
            'aria-label': `Undo: ${words[change.what]} ${change.name}`,
            title: 'Undo',
            onClick: () => model.set({ changes: changes.filter((_, at) => at !== i), zoom: 0 }),
          },
          '×',
        ),
      ),
    ),
  );
}

function matchedText(view, matched, now) {
  if (!view || now.search.trim() === '') {
    return '';
  }
  if (!matched) {
    return 'not a valid pattern';
  }
  const { measure, tree, zoom } = view;
  return [
    h('b', {}, percent(matched.sum, tree.total[measure.columns[0]][zoom])),
    ` of ${measure.base(tree, zoom)} matched`,
  ];
}
