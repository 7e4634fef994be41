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
  lost: 'A lower frequency (-F) or fewer targets reduce the loss.',
  truncated: 'Unwind tables or frame pointers in the module complete the stacks.',
  unnamed: 'The debuginfo package of the module, or a debuginfod server, provides the names.',
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

/** The shares of samples that are lost, and of those that are incomplete or unnamed. */
export function qualityShares({ samples, lost, truncated, unnamed }) {
  const due = samples + sum(lost);
  return {
    lost: due ? sum(lost) / due : 0,
    incomplete: samples ? sum(truncated) / samples : 0,
    unnamed: samples ? sum(unnamed) / samples : 0,
    samples,
    due,
  };
}

/** Never rounded down to nothing. */
function ceiled(share) {
  const hundredths = Math.ceil(share * 10000 - 1e-9);
  return hundredths % 100 === 0 ? `${hundredths / 100} %` : `${(hundredths / 100).toFixed(2)} %`;
}

/** The badge: in the words of the summary that `record` prints. */
export function fillBadge(badge, quality, empty = false) {
  const dot = element('span', { class: 'dot' });
  if (!quality || quality.samples === 0) {
    badge.className = '';
    badge.replaceChildren(dot, empty ? 'no samples' : 'quality unknown');
    return;
  }
  const shares = qualityShares(quality);
  const worst = Math.max(shares.lost, shares.incomplete, shares.unnamed);
  badge.className = worst <= 0.01 ? 'good' : worst <= 0.1 ? 'fair' : 'poor';
  const text = [
    `${ceiled(shares.lost)} lost`,
    `${ceiled(shares.incomplete)} incomplete stacks`,
    `${ceiled(shares.unnamed)} unnamed`,
  ];
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
    parts.push(element('p', {}, 'The file that this was made from says nothing about its quality.'));
  } else {
    const { samples, due } = qualityShares(quality);
    const rate = quality.rateAsked
      ? `; ${quality.rateHeld.toFixed(1)} of ${quality.rateAsked} Hz held per CPU`
      : '';
    parts.push(element('p', {}, `${grouped(samples)} of ${grouped(due)} samples kept${rate}.`));
    parts.push(
      ...reasons('Lost, of all samples', quality.lost, due, REMEDIES.lost),
      ...reasons('Incomplete stacks, of the samples kept', quality.truncated, samples, REMEDIES.truncated),
      ...reasons('Unnamed leaf frames, by module', quality.unnamed, samples, REMEDIES.unnamed),
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
