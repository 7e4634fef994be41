// What can be done with a frame: the same in every view.
import { h } from '../lib/preact.js';
import { useEffect, useRef } from '../lib/hooks.js';
import { Kind } from '../flame/data.js';
import { withMatcher } from './selector.js';

/** The entries for a function { name, module, kind, process, stack } or a process. */
export function entries(model, frame) {
  const { now } = model;
  const change = (what) =>
    model.set({ changes: [...now.changes, { what, name: frame.name }], zoom: 0 });
  const isCode = frame.kind > Kind.PROCESS && frame.kind < Kind.WAITING;
  const list = [];
  if (isCode) {
    list.push(
      ['Callers and callees', () => model.set({ view: 'sandwich', picked: pickedOf(frame) })],
      ['Focus: only stacks that contain it', () => change('focus')],
      ['Exclude stacks that contain it', () => change('exclude')],
      ['Hide this frame', () => change('hide')],
      ['Search for it', () => model.set({ search: `"${frame.name}"` })],
      [
        'Hottest lines of source',
        () => model.set({ view: 'source', file: '', picked: pickedOf(frame) }),
      ],
    );
  }
  if (frame.process) {
    list.push([
      `Only process ${frame.process}`,
      () => model.set({ query: withMatcher(now.query, 'comm', '=', frame.process), zoom: 0 }),
    ]);
  }
  list.push(['Copy name', () => copy(frame.name)]);
  if (frame.stack && frame.stack.length > 1) {
    list.push(['Copy stack', () => copy(frame.stack.join('\n'))]);
  }
  return list;
}

const pickedOf = ({ name, module }) => ({ name, module });

/** The clipboard is there on secure pages and on localhost only. */
export function copy(text) {
  if (navigator.clipboard) {
    navigator.clipboard.writeText(text).catch(() => copyByHand(text));
  } else {
    copyByHand(text);
  }
}

function copyByHand(text) {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

export function Menu({ at, list, title, close }) {
  const menu = useRef(null);
  useEffect(() => {
    const first = menu.current.querySelector('button');
    const before = document.activeElement;
    first.focus();
    return () => before && before.isConnected && before.focus({ preventScroll: true });
  }, []);
  const key = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.stopPropagation();
      close();
    } else if (step) {
      event.preventDefault();
      event.stopPropagation();
      const buttons = [...menu.current.querySelectorAll('button')];
      const to = buttons.indexOf(document.activeElement) + step;
      buttons[(to + buttons.length) % buttons.length].focus();
    }
  };
  const left = Math.max(8, Math.min(at.x, innerWidth - 268));
  const top = Math.max(8, Math.min(at.y, innerHeight - 40 - 28 * (list.length + 1)));
  return h(
    'div',
    {
      id: 'menu',
      role: 'menu',
      ref: menu,
      'aria-label': title,
      onKeyDown: key,
      style: { left: `${left}px`, top: `${top}px` },
    },
    h('div', { class: 'menu-title', title }, h('bdi', {}, title)),
    list.map(([text, act]) =>
      h(
        'button',
        {
          type: 'button',
          role: 'menuitem',
          onClick: () => {
            close();
            act();
          },
        },
        text,
      ),
    ),
  );
}
