// The page: reads the data it holds, shows the state, hears the user.
import { decode } from './data.js';
import { Graph } from './graph.js';
import { inspection } from './inspect.js';
import { foot, legend, path, runText } from './lines.js';
import { Change, cutText, Plain } from './measure.js';
import { percent } from './numbers.js';
import { element, fillBadge, helpPanel, processPanel, qualityPanel } from './panels.js';
import { matchedTotal, matches } from './search.js';
import { State } from './state.js';
import { Table } from './table.js';
import { functionTotals } from './totals.js';
import { complete, filter, layOut, nodeOf, pathHashes } from './tree.js';

const byId = (id) => document.getElementById(id);
const facts = JSON.parse(byId('facts').textContent);
const darkWanted = matchMedia('(prefers-color-scheme: dark)');

class App {
  constructor() {
    this.loaded = [];
    this.view = null;
    this.panelName = '';
    this.state = new State((before) => this.changed(before), facts.view || '');
    this.graph = new Graph(byId('stage'), byId('spacer'), byId('canvas'), {
      hover: () => this.showFoot(),
      select: () => this.showFoot(),
      zoom: (node) => this.zoom(node),
    });
    this.table = new Table(byId('sheet'), {
      sort: (key) => this.sort(key),
      pick: (id) => this.pick(id),
    });
    this.wire();
  }

  get now() {
    return this.state.now;
  }

  get theme() {
    return this.now.theme || (darkWanted.matches ? 'dark' : 'light');
  }

  get profile() {
    return facts.profiles[this.now.mode] || facts.profiles[0];
  }

  wire() {
    byId('title').textContent = facts.title;
    byId('run').textContent = runText(facts);
    const mode = byId('mode');
    facts.profiles.forEach((profile, i) => mode.append(new Option(profile.mode, i)));
    byId('mode-choice').hidden = facts.profiles.length < 2;
    mode.onchange = () => this.state.set({ mode: Number(mode.value), zoom: 0, processes: null });
    for (const button of document.querySelectorAll('[data-view]')) {
      button.onclick = () => this.state.set({ view: button.dataset.view });
    }
    byId('kernel').onclick = () => this.state.set({ kernel: !this.now.kernel });
    byId('theme').onclick = () => this.switchTheme();
    for (const name of ['quality', 'help', 'processes']) {
      byId(name).onclick = () => this.togglePanel(name);
    }
    const search = byId('search');
    search.oninput = () => this.state.set({ search: search.value }, true);
    darkWanted.addEventListener('change', () => this.show());
    addEventListener('keydown', (event) => this.key(event));
    addEventListener('pointerdown', (event) => {
      if (!event.target.closest('#panel, [aria-haspopup]')) {
        this.closePanel();
      }
    });
  }

  switchTheme() {
    this.state.set({ theme: this.theme === 'dark' ? 'light' : 'dark' });
  }

  /** The decoded data of the mode in sight. */
  async load() {
    const index = facts.profiles.indexOf(this.profile);
    if (!this.loaded[index]) {
      const source = byId('data-' + index);
      const { symbols, nodes } = await decode(source.textContent);
      source.remove();
      const measure = facts.compared
        ? new Change(this.profile, facts.compared)
        : new Plain(this.profile);
      const whole = complete(nodes);
      this.loaded[index] = { symbols, whole, measure };
      this.zoomAsSaved(whole, symbols);
    }
    return this.loaded[index];
  }

  /** A page that was saved zoomed shows that first. */
  zoomAsSaved(whole, symbols) {
    const place = parseInt(new URLSearchParams(facts.view || '').get('zh') || '0', 16) | 0;
    if (place && !location.hash) {
      this.state.now.zoom = Math.max(0, pathHashes(whole, symbols).indexOf(place));
    }
  }

  async changed(before) {
    const { now } = this;
    if (before.mode !== now.mode) {
      this.view = null;
      this.closePanel();
    }
    await this.show();
    if (this.panelName === 'processes') {
      this.fillPanel();
    }
  }

  /** Makes tree and layout if the filters are new, then draws everything. */
  async show() {
    document.documentElement.dataset.theme = this.theme;
    const data = await this.load();
    const { now } = this;
    const processes = now.processes && now.processes.size > 0 ? now.processes : null;
    const key = [now.mode, now.kernel, processes ? [...processes].sort().join('.') : ''].join();
    if (!this.view || this.view.key !== key) {
      const tree = filter(data.whole, data.symbols, { processes, kernel: now.kernel });
      this.view = { key, ...data, tree, layout: layOut(tree, data.measure.width(tree)) };
    }
    const { view } = this;
    view.zoom = nodeOf(view.tree, view.whole, now.zoom);
    view.found = matches(view.symbols, now.search);
    this.showControls();
    this.showPath();
    const isTable = now.view === 'table';
    byId('stage').hidden = isTable;
    byId('sheet').hidden = !isTable;
    if (isTable) {
      this.showTable();
    } else {
      this.showGraph();
    }
    this.showFoot();
  }

  showControls() {
    const { now, view } = this;
    byId('mode').value = facts.profiles.indexOf(this.profile);
    for (const button of document.querySelectorAll('[data-view]')) {
      button.setAttribute('aria-checked', button.dataset.view === now.view);
    }
    byId('kernel').setAttribute('aria-pressed', now.kernel);
    const search = byId('search');
    if (search.value !== now.search) {
      search.value = now.search;
    }
    const chosen = now.processes ? now.processes.size : 0;
    byId('processes').textContent = chosen
      ? `Processes: ${chosen} of ${this.processes().length}`
      : 'Processes: all';
    const empty = view.layout.width[0] === 0;
    fillBadge(byId('quality'), this.profile.quality, empty);
    this.showMatched();
    byId('note').hidden = !empty;
    byId('note').textContent = empty ? 'The selection contains no samples.' : '';
    this.showLegend();
  }

  showMatched() {
    const { view } = this;
    const output = byId('matched');
    const matched = this.matched();
    if (!matched) {
      output.replaceChildren(this.now.search.trim() === '' ? '' : 'not a valid pattern');
      return;
    }
    const { measure, tree, zoom } = view;
    const base = tree.total[measure.columns[0]][zoom];
    output.replaceChildren(
      element('b', {}, percent(matched.sum, base)),
      ` of ${measure.base(tree, zoom)} matched`,
    );
  }

  matched() {
    const { tree, found, zoom, measure } = this.view;
    return found ? matchedTotal(tree, found, zoom, measure.columns[0]) : null;
  }

  showLegend() {
    const { symbols } = this.view;
    byId('legend').replaceChildren(...legend(this.theme, symbols, facts.compared));
  }

  showPath() {
    byId('path').replaceChildren(...path(this.view, (node) => this.zoom(node)));
  }

  showGraph() {
    const { tree, layout, symbols, found, zoom, measure } = this.view;
    const colour = measure.colour(this.theme, tree, symbols);
    const scene = { tree, layout, symbols, found, zoom, colour, theme: this.theme };
    this.graph.show(scene, this.now.view === 'flame');
  }

  showTable() {
    const { tree, symbols, zoom, measure, found } = this.view;
    const sums = functionTotals(tree, symbols, zoom, measure.columns);
    this.table.show({
      symbols,
      columns: measure.tableColumns(tree, zoom, sums),
      sort: this.sortOrder(),
      found,
      theme: this.theme,
      note: cutText(this.profile, tree, measure),
    });
  }

  sortOrder() {
    const text = this.now.sort || this.view.measure.defaultSort;
    return { key: text.replace(/^-/, ''), up: text.startsWith('-') };
  }

  sort(key) {
    const current = this.sortOrder();
    const words = key === 'name' || key === 'module';
    const up = current.key === key ? !current.up : words;
    this.state.set({ sort: (up ? '-' : '') + key });
  }

  /** A function of the table: shown in the graph, wherever it stands. */
  pick(id) {
    const { symbols } = this.view;
    const name = symbols.names[symbols.functionSymbols[id]];
    this.state.set({ search: `"${name}"`, view: 'icicle' });
  }

  /** The frame under the pointer, else the selected one, else what is zoomed. */
  showFoot() {
    if (this.view) {
      const candidates = [this.graph.hovered, this.graph.selected, this.view.zoom];
      byId('foot').replaceChildren(...foot(this.view, candidates.find((node) => node >= 0)));
    }
  }

  zoom(node) {
    this.state.set({ zoom: this.view.tree.origin[node] });
  }

  up() {
    const { tree, zoom } = this.view;
    if (zoom > 0) {
      this.zoom(tree.parent[zoom]);
    }
  }

  processes() {
    const { whole, symbols, measure } = this.view;
    const width = measure.width(whole);
    const list = [];
    for (let i = 1; i < whole.count; i = whole.end[i]) {
      const symbol = whole.symbol[i];
      list.push({ symbol, name: symbols.names[symbol], text: percent(width[i], width[0]) });
    }
    return list;
  }

  togglePanel(name) {
    if (this.panelName === name) {
      this.closePanel();
      return;
    }
    this.closePanel();
    this.panelName = name;
    byId(name).setAttribute('aria-expanded', 'true');
    byId('panel').hidden = false;
    byId('panel').setAttribute('aria-label', name);
    byId('panel').style.cssText =
      name === 'processes' ? `left:${byId(name).offsetLeft}px;right:auto;top:92px` : '';
    this.fillPanel();
  }

  fillPanel() {
    const { view, now, profile } = this;
    const content = {
      quality: () => qualityPanel(profile.quality, cutText(profile, view.tree, view.measure)),
      help: helpPanel,
      processes: () =>
        processPanel(
          this.processes(),
          view.measure.base(view.whole),
          now.processes,
          (processes) => this.state.set({ processes, zoom: 0 }),
        ),
    };
    byId('panel').replaceChildren(...content[this.panelName]());
  }

  closePanel() {
    if (this.panelName) {
      byId(this.panelName).setAttribute('aria-expanded', 'false');
      this.panelName = '';
      byId('panel').hidden = true;
    }
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    const search = byId('search');
    if (event.key === 'Escape') {
      if (this.panelName) {
        this.closePanel();
      } else {
        this.state.set({ search: '' });
        search.blur();
      }
      return;
    }
    if (event.target.closest('input, select')) {
      if (event.key === 'Enter' && event.target === search) {
        this.focusView();
      }
      return;
    }
    const actions = {
      '/': () => search.focus(),
      '?': () => this.togglePanel('help'),
      u: () => this.up(),
      r: () => this.state.set({ zoom: 0, search: '', kernel: true, processes: null }),
      i: () => this.state.set({ view: 'icicle' }),
      f: () => this.state.set({ view: 'flame' }),
      t: () => this.state.set({ view: 'table' }),
      d: () => this.switchTheme(),
      k: () => this.state.set({ kernel: !this.now.kernel }),
    };
    if (actions[event.key]) {
      event.preventDefault();
      actions[event.key]();
    } else if (event.key.startsWith('Arrow') && event.target === document.body) {
      event.preventDefault();
      this.focusView();
      (this.now.view === 'table' ? this.table : this.graph).key(event);
    }
  }

  focusView() {
    byId(this.now.view === 'table' ? 'sheet' : 'stage').focus({ preventScroll: true });
  }
}

const app = new App();
if (typeof DecompressionStream === 'undefined') {
  byId('note').hidden = false;
  byId('note').textContent = 'This browser is too old to read the data of this page.';
} else {
  await app.show();
}

window.plumb = inspection(app);
