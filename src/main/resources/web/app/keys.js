// The keyboard.
import { startCompare } from './compare.js';
import { hashOf } from './picture.js';

const GO = {
  f: 'flame',
  t: 'table',
  s: 'sandwich',
  h: 'threads',
  c: 'cpus',
  p: 'processes',
  l: 'source',
  q: 'quality',
};

let went = 0;

export function onKey(event, { model, picture, sight, panel, menu, setPanel, setMenu }) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) {
    return;
  }
  const { now } = model;
  if (event.key === 'Escape') {
    escape({ model, panel, menu, setPanel, setMenu });
    return;
  }
  if (event.target.closest('input, select, textarea')) {
    if (event.key === 'Enter' && event.target.id === 'search') {
      focusView();
    }
    return;
  }
  if (performance.now() - went < 1500 && GO[event.key]) {
    went = 0;
    event.preventDefault();
    model.set({ view: GO[event.key] });
    return;
  }
  const view = picture.view;
  const actions = {
    '/': () => document.getElementById('search') && document.getElementById('search').focus(),
    '?': () => setPanel(panel === 'help' ? '' : 'help'),
    g: () => (went = performance.now()),
    '[': () => model.shift(-1),
    ']': () => model.shift(1),
    '+': () => model.widen(2),
    '=': () => model.widen(2),
    '-': () => model.widen(0.5),
    '−': () => model.widen(0.5),
    d: () => (now.compare ? model.set({ compare: null }) : startCompare(model)),
    '.': () => model.toggleLive(),
    u: () =>
      view && view.zoom > 0 && model.set({ zoom: hashOf(view, view.tree.parent[view.zoom]) }),
    r: () =>
      model.set({
        zoom: 0,
        search: '',
        changes: [],
        kernel: true,
        recursion: true,
        modules: false,
      }),
    k: () => model.set({ kernel: !now.kernel }),
  };
  if (actions[event.key]) {
    event.preventDefault();
    actions[event.key]();
  } else if (event.key.startsWith('Arrow') && event.target === document.body) {
    event.preventDefault();
    focusView();
    if (now.view === 'flame' && sight.graph) {
      sight.graph.key(event);
    }
  }
}

/** Closes what is open, else takes back one thing: search, zoom, selection. */
function escape({ model, panel, menu, setPanel, setMenu }) {
  const { now } = model;
  if (menu) {
    setMenu(null);
  } else if (panel) {
    setPanel('');
  } else if (now.search) {
    model.set({ search: '' });
  } else if (now.zoom) {
    model.set({ zoom: 0 });
  } else if (now.selection) {
    model.set({ selection: null });
  }
  if (document.activeElement && document.activeElement.closest('input')) {
    document.activeElement.blur();
  }
}

function focusView() {
  const place = document.querySelector('#stage, #sheet, main [tabindex]');
  if (place) {
    place.focus({ preventScroll: true });
  }
}
