// The line at the top: what is looked at, and which time.
import { h } from '../lib/preact.js';
import { useState } from '../lib/hooks.js';
import { duration, durationText, write } from './address.js';
import { addressOf } from './ask.js';
import { Filter } from './filter.js';
import { copy } from './menu.js';
import { parseSelector, selectorText } from './selector.js';
import { parseTime, rangeText } from './time.js';
import { typeText } from './units.js';

const PRESETS = ['1m', '5m', '15m', '1h', '6h', '1d', '7d'];

export function Top({ model, theme, panel, setPanel, picture }) {
  const { info, now } = model;
  const opener = (name, text, title, extra = {}) =>
    h(
      'button',
      {
        type: 'button',
        id: `open-${name}`,
        title,
        'aria-haspopup': 'dialog',
        'aria-expanded': panel === name,
        onClick: () => setPanel(panel === name ? '' : name),
        ...extra,
      },
      text,
    );
  return h(
    'header',
    { id: 'top' },
    h('h1', {}, h('a', { href: '#', title: 'Everything, from the start' }, 'plumb')),
    info && h(Host, { model }),
    model.type &&
      h(
        'select',
        {
          id: 'type',
          'aria-label': 'Profile type',
          value: model.type.id,
          onChange: (event) => model.set({ type: event.target.value, zoom: 0 }),
        },
        info.types.map((type) => h('option', { value: type.id }, typeText(type))),
      ),
    h(Filter, { model }),
    h('span', { class: 'space' }),
    opener('window', windowText(model), 'Time range (presets, or typed)'),
    h(
      'button',
      {
        type: 'button',
        id: 'live',
        'aria-pressed': model.live,
        class: model.live ? 'on' : '',
        title: 'Follow the recording (.)',
        onClick: () => model.toggleLive(),
      },
      h('span', { class: 'dot' }),
      model.live ? 'live' : 'paused',
    ),
    opener('save', 'Save', 'Save what is displayed'),
    h(
      'button',
      {
        type: 'button',
        id: 'link',
        title: 'Copy a link to this view',
        onClick: (event) => {
          copy(fixedLink(model));
          const button = event.currentTarget;
          button.textContent = 'Copied';
          setTimeout(() => (button.textContent = 'Link'), 900);
        },
      },
      'Link',
    ),
    h(
      'button',
      {
        type: 'button',
        class: 'icon',
        title: 'Light or dark',
        'aria-label': 'Light or dark',
        onClick: () => model.set({ theme: theme === 'dark' ? 'light' : 'dark' }),
      },
      '◐',
    ),
    opener('help', '?', 'Keys (?)', { class: 'icon', 'aria-label': 'Keys' }),
    panel === 'window' && h(WindowPanel, { model, close: () => setPanel('') }),
    panel === 'save' && h(SavePanel, { model, picture, close: () => setPanel('') }),
  );
}

/** The host; where several have sent profiles, a choice of them. */
function Host({ model }) {
  const { info, now, answers } = model;
  const hosts = (answers.hosts && answers.hosts.data && answers.hosts.data.values) || [];
  const title = `Plumb ${info.version} on ${info.host}`;
  if (hosts.length < 2) {
    return h('span', { id: 'host', title }, info.host);
  }
  const matchers = parseSelector(now.query) || [];
  const chosen = matchers.find((m) => m.name === 'host' && m.operator === '=');
  const choose = (host) => {
    const others = matchers.filter((m) => m !== chosen);
    const wanted = host ? [...others, { name: 'host', operator: '=', value: host }] : others;
    model.set({ query: selectorText(wanted), zoom: 0 });
  };
  return h(
    'select',
    {
      id: 'hosts',
      title,
      'aria-label': 'Host',
      value: chosen ? chosen.value : '',
      onChange: (event) => choose(event.target.value),
    },
    h('option', { value: '' }, `all ${hosts.length} hosts`),
    hosts.map((host) => h('option', { value: host }, host || '(none)')),
  );
}

/** A link shows what is in sight now, whenever it is opened: a live window is fixed in it. */
function fixedLink(model) {
  const address = write({ ...model.now, window: model.window() });
  return new URL(address, location.href).href;
}

function windowText(model) {
  const { window } = model.now;
  return window.last ? `last ${durationText(window.last)} ▾` : `${rangeText(window)} ▾`;
}

function WindowPanel({ model, close }) {
  const window = model.window();
  const stamp = (millis) => {
    const local = new Date(millis - new Date(millis).getTimezoneOffset() * 60e3);
    return local.toISOString().slice(0, 19).replace('T', ' ');
  };
  const [from, setFrom] = useState(stamp(window.from));
  const [to, setTo] = useState(stamp(window.to));
  const [wrong, setWrong] = useState('');
  const go = (event) => {
    event.preventDefault();
    const now = Date.now() + model.clock;
    const last = duration(from);
    const a = last ? now - last : parseTime(from, now);
    const b = parseTime(to, now);
    if (!(a < b)) {
      setWrong('Write a time as 14:03, 2026-11-15 14:03:20, now or now-1h; the first must be before the second.');
      return;
    }
    model.set({ window: { from: Math.round(a), to: Math.round(b) }, selection: null });
    close();
  };
  const span = model.info && model.info.span;
  const field = (label, value, set) =>
    h(
      'label',
      {},
      h('span', {}, label),
      h('input', {
        type: 'text',
        value,
        onInput: (event) => set(event.target.value),
        spellcheck: false,
      }),
    );
  return h(
    'div',
    { id: 'panel', role: 'dialog', 'aria-label': 'Time', class: 'narrow' },
    h('h2', {}, 'Time'),
    h(
      'div',
      { class: 'presets' },
      PRESETS.map((text) =>
        h(
          'button',
          {
            type: 'button',
            'aria-pressed': model.now.window.last === duration(text),
            onClick: () => {
              model.set({ window: { last: duration(text) }, selection: null });
              close();
            },
          },
          text,
        ),
      ),
      span &&
        h(
          'button',
          {
            type: 'button',
            title: rangeText(span),
            onClick: () => {
              model.set({
                window: { from: Math.floor(span.from), to: Math.ceil(span.to) },
                selection: null,
              });
              close();
            },
          },
          'all data',
        ),
    ),
    h(
      'form',
      { onSubmit: go },
      field('From', from, setFrom),
      field('To', to, setTo),
      wrong && h('p', { role: 'alert', class: 'poor' }, wrong),
      h('button', { type: 'submit' }, 'Show'),
    ),
  );
}

function SavePanel({ model, picture, close }) {
  const { now, type, info } = model;
  const compared = Boolean(now.compare);
  const params = { type: type.id, ...(compared ? model.sides() : model.params()) };
  const usable = (format) => !compared || format.name === 'html' || format.name === 'folded';
  return h(
    'div',
    { id: 'panel', role: 'dialog', 'aria-label': 'Save', class: 'narrow' },
    h('h2', {}, 'Save the selection'),
    h(
      'ul',
      { class: 'save' },
      info.formats.filter(usable).map((format) =>
        h(
          'li',
          {},
          h(
            'a',
            {
              href: addressOf('export', {
                ...params,
                ...shapeOf(now, format.name),
                format: format.name,
                view: viewText(now),
              }),
              download: '',
              onClick: close,
            },
            format.ending,
          ),
          h('span', { class: 'soft' }, format.about),
        ),
      ),
      h(
        'li',
        {},
        h(
          'button',
          {
            type: 'button',
            onClick: () => {
              savePicture();
              close();
            },
          },
          '.png',
        ),
        h('span', { class: 'soft' }, 'the graph as displayed'),
      ),
    ),
  );
}

/** What is left out or merged, for the server to do the same. */
function shapeOf(now, format) {
  return {
    x: now.changes.map(({ what, name }) => `${what}:${name}`),
    // A saved page hides and shows kernel frames by itself.
    ...(!now.kernel && format !== 'html' && { k: 0 }),
    ...(!now.recursion && { r: 0 }),
    ...(now.modules && { m: 1 }),
    ...(now.absolute && { absolute: 1 }),
  };
}

/** What of the state a saved page keeps. */
function viewText(now) {
  const view = now.view === 'table' ? 'table' : now.upward ? 'flame' : 'icicle';
  const parts = new URLSearchParams({ v: view });
  if (now.search) {
    parts.set('s', now.search);
  }
  if (!now.kernel) {
    parts.set('k', '0');
  }
  if (now.theme) {
    parts.set('d', now.theme);
  }
  if (now.zoom) {
    parts.set('zh', (now.zoom >>> 0).toString(16));
  }
  return parts.toString();
}

function savePicture() {
  const canvas = document.querySelector('main canvas') || document.getElementById('chart');
  canvas.toBlob((blob) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = 'plumb.png';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}
