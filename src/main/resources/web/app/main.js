// The page: what is above, the views, the foot.
import { h, render } from '../lib/preact.js';
import { useEffect, useRef, useState } from '../lib/hooks.js';
import { fillBadge } from '../flame/panels.js';
import { compareLine } from './compare.js';
import { FrameViews } from './frames.js';
import { CpuView, ThreadView } from './lanes.js';
import { onKey } from './keys.js';
import { Menu } from './menu.js';
import { Model } from './model.js';
import { Overview } from './overview.js';
import { HelpPanel, QualityView } from './panels.js';
import { Note } from './parts.js';
import { Picture } from './picture.js';
import { ProcessView } from './processes.js';
import { SandwichView } from './sandwich.js';
import { SourceView } from './source.js';
import { onThemeChange, themeOf } from './theme.js';
import { Top } from './top.js';
import { inspection } from './inspect.js';

const TABS = [
  ['flame', 'Flame', 'g f'],
  ['table', 'Table', 'g t'],
  ['sandwich', 'Sandwich', 'g s'],
  ['threads', 'Threads', 'g h'],
  ['cpus', 'CPUs', 'g c'],
  ['processes', 'Processes', 'g p'],
  ['source', 'Source', 'g l'],
  ['quality', 'Quality', 'g q'],
];

const root = document.getElementById('app');
root.replaceChildren();
let waiting = false;

function draw() {
  if (!waiting) {
    waiting = true;
    queueMicrotask(() => {
      waiting = false;
      render(h(App, {}), root);
    });
  }
}

const model = new Model(draw);
const picture = new Picture(draw);
/** What is shown but is in no address: the graph in sight, the menu, an open panel. */
const sight = { graph: null, foot: null };

function App() {
  const [panel, setPanel] = useState('');
  const [menu, setMenu] = useState(null);
  const { now, info, type } = model;
  const theme = themeOf(now);
  document.documentElement.dataset.theme = theme;
  useEffect(() => {
    const down = (event) => {
      if (!event.target.closest('#panel, [aria-haspopup]')) {
        setPanel('');
      }
      if (!event.target.closest('#menu')) {
        setMenu(null);
      }
    };
    const key = (event) =>
      onKey(event, {
        model,
        picture,
        sight,
        panel: latest.current.panel,
        menu: latest.current.menu,
        setPanel,
        setMenu,
      });
    addEventListener('pointerdown', down);
    addEventListener('keydown', key);
    return () => {
      removeEventListener('pointerdown', down);
      removeEventListener('keydown', key);
    };
  }, []);
  const latest = useRef({});
  latest.current = { panel, menu };
  sight.openPanel = setPanel;
  sight.openMenu = setMenu;
  const graph = model.answers.graph;
  picture.take(graph && graph.data);
  document.title = info ? `${info.host} · Plumb` : 'Plumb';
  return [
    h(Top, { model, theme, panel, setPanel, picture }),
    model.offline &&
      h(
        'div',
        { class: 'banner', role: 'alert' },
        `${model.offline}: what you see is as it was. Trying again…`,
      ),
    model.busy && h('div', { class: 'thin-bar', role: 'progressbar', 'aria-label': 'Loading' }),
    info && type && h(Overview, { model, theme }),
    info && type && h(Tabs, { theme }),
    info && type && compareLine(model, picture),
    body(theme),
    h('footer', {
      id: 'foot',
      key: now.view,
      'aria-live': 'polite',
      hidden: !info || !type || ['processes', 'source', 'quality'].includes(now.view),
    }),
    panel === 'help' && h(HelpPanel, {}),
    menu && h(Menu, { ...menu, close: () => setMenu(null) }),
  ];
}

function body(theme) {
  const { now, info, type } = model;
  if (!info) {
    return h(
      'main',
      {},
      model.offline &&
        h(Note, {
          title: 'The server does not answer',
          text: 'Is `plumb serve` running? This page continues as soon as it is.',
        }),
    );
  }
  if (!type) {
    const text = info.live
      ? `Plumb is recording on ${info.host}. The first data appears here within seconds.`
      : 'Nothing is being recorded. Start `plumb serve` with the rights to record, or push profiles to it.';
    return h('main', {}, h(Note, { title: 'Nothing has been recorded yet', text }));
  }
  const views = {
    flame: () => h(FrameViews, { model, picture, theme, sight }),
    table: () => h(FrameViews, { model, picture, theme, sight }),
    sandwich: () => h(SandwichView, { model, picture, theme, sight }),
    threads: () => h(ThreadView, { model, theme, sight }),
    cpus: () => h(CpuView, { model, theme, sight }),
    processes: () => h(ProcessView, { model }),
    source: () => h(SourceView, { model }),
    quality: () => h(QualityView, { model, cut: '' }),
  };
  return views[now.view]();
}

function Tabs({ theme }) {
  const { now } = model;
  const badge = useRef(null);
  const quality = model.answers.quality && model.answers.quality.data;
  useEffect(() => fillBadge(badge.current, quality));
  return h(
    'nav',
    { id: 'tabs' },
    h(
      'div',
      { class: 'tabs', role: 'tablist', 'aria-label': 'View' },
      TABS.map(([view, text, keys]) =>
        h(
          'button',
          {
            type: 'button',
            role: 'tab',
            'data-view': view,
            'aria-selected': now.view === view,
            title: `${text} (${keys})`,
            onClick: () => model.set({ view }),
          },
          text,
        ),
      ),
    ),
    h('span', { class: 'space' }),
    h('button', {
      id: 'quality',
      type: 'button',
      ref: badge,
      title: 'How good the measurement is (g q)',
      onClick: () => model.set({ view: 'quality' }),
    }),
  );
}

onThemeChange(draw);
draw();
model.poll();
window.plumb = inspection(model, picture, sight);
