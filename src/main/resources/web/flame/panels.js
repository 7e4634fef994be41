// What opens on a click: quality, processes, keys.
import { grouped, percent } from './numbers.js';

const KEYS = [
  ['/', 'search; "name" exactly, /…/ as a pattern'],
  ['u', 'up: zoom out by one frame'],
  ['r', 'reset zoom, search and filters'],
  ['i', 'icicle: root at the top'],
  ['f', 'flame: root at the bottom'],
  ['t', 'table of functions'],
  ['k', 'show or hide kernel frames'],
  ['d', 'light or dark'],
  ['← ↑ → ↓', 'move the selected frame'],
  ['Enter', 'zoom to the selected frame'],
  ['Esc', 'close, or clear the search'],
  ['?', 'these keys'],
];

const REMEDIES = {
  lost: 'A lower frequency (-F) or fewer targets lose less.',
  truncated: 'Unwind tables or frame pointers in the module make stacks whole.',
  unnamed: 'The debuginfo package of a module, or a debuginfod server, gives the names.',
};

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'style') {
      // The server's policy allows no style attributes in markup, but does allow this.
      made.style.cssText = value;
    } else if (name === 'onclick' || name === 'onchange' || name === 'oninput') {
      made[name] = value;
    } else {
      made.setAttribute(name, value);
    }
  }
  made.append(...children);
  return made;
}

function sum(counts) {
  return Object.values(counts).reduce((a, b) => a + b, 0);
}

/** Shares of samples whole, named and kept. */
export function qualityShares({ samples, lost, truncated, unnamed }) {
  const due = samples + sum(lost);
  return {
    whole: samples ? 1 - sum(truncated) / samples : 1,
    named: samples ? 1 - sum(unnamed) / samples : 1,
    kept: due ? samples / due : 1,
    samples,
    due,
  };
}

function floored(share) {
  const hundredths = Math.floor(share * 10000 + 1e-9);
  return hundredths % 100 === 0 ? `${hundredths / 100} %` : `${(hundredths / 100).toFixed(2)} %`;
}

/** The badge: never rounded up to a hundred. */
export function fillBadge(badge, quality, empty = false) {
  const dot = element('span', { class: 'dot' });
  if (!quality || quality.samples === 0) {
    badge.className = '';
    badge.replaceChildren(dot, empty ? 'no samples' : 'quality unknown');
    return;
  }
  const shares = qualityShares(quality);
  const worst = Math.min(shares.whole, shares.named, shares.kept);
  badge.className = worst >= 0.99 ? 'good' : worst >= 0.9 ? 'fair' : 'poor';
  const text = ['whole', 'named', 'kept'].map((name) => `${floored(shares[name])} ${name}`);
  badge.replaceChildren(dot, text.join(' · '));
}

function reasons(title, counts, base, remedy) {
  const entries = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  if (entries.length === 0) {
    return [];
  }
  const rows = entries.map(([reason, count]) =>
    element(
      'tr',
      {},
      element('td', { class: 'cell' }, element('bdi', {}, reason)),
      element('td', { class: 'number' }, grouped(count)),
      element('td', { class: 'number' }, percent(count, base)),
    ),
  );
  return [element('h3', {}, title), element('table', {}, ...rows), element('p', {}, remedy)];
}

export function qualityPanel(quality, cut) {
  const parts = [element('h2', {}, 'Quality of the measurement')];
  if (!quality || quality.samples === 0) {
    parts.push(element('p', {}, 'The file this was made from does not say how good it is.'));
  } else {
    const { samples, due } = qualityShares(quality);
    const rate = quality.rateAsked
      ? `; ${quality.rateHeld.toFixed(1)} of ${quality.rateAsked} Hz held on each CPU`
      : '';
    parts.push(element('p', {}, `${grouped(samples)} samples kept of ${grouped(due)}${rate}.`));
    parts.push(
      ...reasons('Lost, of those due', quality.lost, due, REMEDIES.lost),
      ...reasons('Stack not whole, of those kept', quality.truncated, samples, REMEDIES.truncated),
      ...reasons('Leaf without a name, by module', quality.unnamed, samples, REMEDIES.unnamed),
    );
    if (parts.length === 2) {
      parts.push(element('p', {}, 'Nothing is missing.'));
    }
  }
  if (cut) {
    parts.push(element('h3', {}, 'In this page'), element('p', {}, cut + '.'));
  }
  return parts;
}

export function helpPanel() {
  const rows = KEYS.map(([key, text]) =>
    element(
      'tr',
      {},
      element('td', {}, ...key.split(' ').flatMap((k) => [element('kbd', {}, k), ' '])),
      element('td', {}, text),
    ),
  );
  return [element('h2', {}, 'Keys'), element('table', {}, ...rows)];
}

/** Processes as { symbol, name, text }; `chosen` is a set of symbols or null for all. */
export function processPanel(processes, base, chosen, choose) {
  const all = processes.map((process) => process.symbol);
  const update = (set) => choose(set.size === all.length ? null : set);
  const items = processes.map((process) => {
    const box = element('input', { type: 'checkbox' });
    box.checked = !chosen || chosen.has(process.symbol);
    box.onchange = () => {
      const set = new Set(chosen || all);
      if (box.checked) {
        set.add(process.symbol);
      } else {
        set.delete(process.symbol);
      }
      update(set);
    };
    const only = element('button', { type: 'button', title: 'Show this process only' }, 'only');
    only.onclick = () => update(new Set([process.symbol]));
    const label = element('span', { class: 'label' }, element('bdi', {}, process.name));
    return element('li', {}, element('label', {}, box, label, process.text), only);
  });
  const filter = element('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter' });
  filter.oninput = () => {
    const part = filter.value.toLowerCase();
    items.forEach((item, i) => {
      item.hidden = !processes[i].name.toLowerCase().includes(part);
    });
  };
  const actions = element(
    'div',
    { class: 'actions' },
    element('button', { type: 'button', onclick: () => choose(null) }, 'All'),
    ...(processes.length > 12 ? [filter] : []),
  );
  return [element('h2', {}, `Processes, shares of ${base}`), actions, element('ul', {}, ...items)];
}
