// The state, the answers to what it asks for, and who is told when either changes.
import { read, write, isWhole } from './address.js';
import { ask } from './ask.js';
import { ROWS } from './brush.js';
import { niceStep } from './time.js';

const POLL_LIVE = 2000;
const POLL_STILL = 10000;

export class Model {
  constructor(changed) {
    this.changed = changed;
    this.now = read(location.hash);
    /** What /api/state said last. */
    this.info = null;
    /** Why the server cannot be asked; empty if it can. */
    this.offline = '';
    /** The difference of the server's clock to ours. */
    this.clock = 0;
    /** How many frames a graph may have before small ones are cut; for trying: ?keep=… */
    this.keep = new URLSearchParams(location.search).get('keep') || '';
    /** The end of the live window that is shown. */
    this.shownEnd = 0;
    /** name → { url, data, error, busy, since } */
    this.answers = {};
    this.asked = {};
    addEventListener('popstate', () => this.follow());
    addEventListener('hashchange', () => this.follow());
  }

  follow() {
    const next = read(location.hash);
    if (write(next) !== write(this.now)) {
      this.now = next;
      this.refresh();
    }
  }

  /** Changes some of the state. `quietly`: typing, say, is one step back, not ten. */
  set(change, quietly = false) {
    const before = write(this.now);
    this.now = { ...this.now, ...change };
    if (change.window && this.info) {
      this.shownEnd = this.liveEnd();
    }
    const address = write(this.now);
    if (address === before) {
      return;
    }
    history[quietly ? 'replaceState' : 'pushState'](null, '', address);
    this.refresh();
  }

  get live() {
    return Boolean(this.now.window.last);
  }

  /** The types that there are, and the one that is shown. */
  get type() {
    const types = this.info ? this.info.types : [];
    return (
      types.find((type) => type.id === this.now.type) ||
      types.find((type) => type.name === 'process_cpu' && type.unit === 'nanoseconds') ||
      types[0] ||
      null
    );
  }

  /** The end of what there is, or now if that is long ago. Between refreshes it stands still. */
  liveEnd() {
    const now = Date.now() + this.clock;
    const span = this.info && this.info.span;
    const end = span && now - span.to < 60e3 ? span.to : now;
    return Math.floor(end / 1000) * 1000;
  }

  /** The window in milliseconds; a live one begins no earlier than the data does. */
  window() {
    const { window } = this.now;
    if (!window.last) {
      return window;
    }
    const to = this.shownEnd || this.liveEnd();
    const from = to - window.last;
    const span = this.info && this.info.span;
    const begin = span && span.from < to ? Math.floor(span.from / 1000) * 1000 : from;
    return { from: Math.min(Math.max(from, begin), to - 1000), to };
  }

  /** What all views show: the selection, or all of the window. */
  range() {
    return this.now.selection || { ...this.window(), low: 0, high: 1000 };
  }

  /** What lanes show: what is selected; of a window, its last seconds. */
  laneRange() {
    const { selection } = this.now;
    const range = this.range();
    const from = selection ? range.from : Math.max(range.from, range.to - 10e3);
    return { from, to: range.to, low: 0, high: 1000 };
  }

  /** The parameters of a query for a range. */
  params(range = this.range(), suffix = '', query = this.now.query) {
    const params = {
      ['from' + suffix]: Math.round(range.from),
      ['to' + suffix]: Math.round(range.to),
    };
    if (query) {
      params['query' + suffix] = query;
    }
    if (!isWhole(range)) {
      params['slice' + suffix] = `${range.low}-${range.high}`;
    }
    return params;
  }

  /** Both sides of a comparison, the one compared with first. */
  sides() {
    const { compare, query } = this.now;
    const range = compare.to ? compare : this.range();
    const first = this.params(range, '', compare.query ?? query);
    return { ...first, ...this.params(this.range(), '2') };
  }

  /** Sends the queries for all that the state shows. */
  refresh() {
    if (this.info && this.type) {
      for (const [name, [path, params]] of Object.entries(this.wanted())) {
        this.want(name, path, params);
      }
    }
    this.changed();
  }

  wanted() {
    const { now } = this;
    const type = this.type.id;
    const window = this.window();
    const wide = Math.max(200, Math.min(1600, innerWidth));
    const step = niceStep((window.to - window.from) / Math.min(240, wide / 4));
    const start = Math.floor(window.from / step) * step;
    const overview = { type, ...this.params({ ...window, from: start }) };
    // Labels change little: five minutes more or less are the same to them.
    const around = {
      from: Math.floor(start / 300e3) * 300e3,
      to: Math.ceil(window.to / 300e3) * 300e3,
    };
    const wanted = {
      timeline: ['timeline', { ...overview, by: now.by, step, limit: 10 }],
      heatmap: [
        'heatmap',
        { type, ...this.params(window), columns: Math.min(900, wide), rows: ROWS },
      ],
      labels: ['labels', around],
      hosts: ['labels', { ...around, name: 'host' }],
      quality: [
        'quality',
        { type, ...this.params({ ...this.range(), low: 0, high: 1000 }, '', '') },
      ],
    };
    const selected = { type, ...this.params() };
    // A tree that came whole has all there is below any of its frames.
    const held = this.answers.graph && this.answers.graph.data;
    const more = now.zoom && held && held.cut.stacks > 0;
    const shape = {
      width: wide,
      keep: this.keep,
      ...(more && { near: (now.zoom >>> 0).toString(16) }),
    };
    const graph = now.compare
      ? ['diff', { type, ...this.sides(), ...shape, ...(now.absolute && { absolute: 1 }) }]
      : ['tree', { ...selected, ...shape }];
    const picked = now.picked && { function: now.picked.name, module: now.picked.module };
    const sandwiched = now.compare ? { type, ...this.sides(), compare: 1 } : selected;
    const views = {
      flame: { graph },
      // What was cut from a graph still counts in the table.
      table: {
        graph,
        ...(held && held.cut.stacks > 0 && { table: ['table', { ...selected, limit: 20000 }] }),
      },
      sandwich: picked
        ? { sandwich: ['sandwich', { ...sandwiched, ...picked, width: wide }] }
        : { graph },
      threads: { threads: ['threads', { ...this.params(this.laneRange()), limit: 120000 }] },
      cpus: { cpus: ['cpus', { ...this.params(this.laneRange()), limit: 120000 }] },
      processes: this.wantedProcesses(selected),
      source: { source: ['source', { ...selected, ...(now.file && { file: now.file }) }] },
      quality: {},
    };
    return { ...wanted, ...views[now.view] };
  }

  wantedProcesses(selected) {
    const memory = this.info.types.find((t) => t.name === 'memory' && t.sample === 'inuse_space');
    return {
      processes: ['processes', { ...selected, languages: 1, limit: 1000 }],
      ...(memory &&
        memory.id !== selected.type && {
          memory: ['processes', { ...selected, type: memory.id }],
        }),
    };
  }

  /** Sends a query unless it is answered or under way; the previous answer stays displayed. */
  async want(name, path, params) {
    const question = path + JSON.stringify(params);
    const known = this.answers[name] || { data: null, error: null };
    if (known.question === question && (known.busy || known.data || known.error)) {
      return;
    }
    if (known.abort) {
      known.abort.abort();
    }
    const abort = new AbortController();
    const path_ = known.path;
    const answer = { ...known, question, path, busy: true, since: performance.now(), abort };
    this.answers[name] = answer;
    setTimeout(() => answer.busy && this.changed(), 300);
    try {
      const data = await ask(path, params, abort.signal);
      // A newer answer to the same query keeps the zoom and the selection.
      Object.assign(answer, { data: { ...data, follows: path_ === path }, error: null });
    } catch (error) {
      if (error.name === 'AbortError') {
        return;
      }
      if (error.network) {
        this.lost(error);
        answer.question = '';
      } else {
        answer.error = error;
      }
    }
    answer.busy = false;
    if (this.answers[name] === answer) {
      this.changed();
    }
  }

  /** Whether something takes long enough to say so. */
  get busy() {
    const now = performance.now();
    return Object.values(this.answers).some((a) => a.busy && now - a.since > 290);
  }

  lost(error) {
    this.offline = error.message;
  }

  /** Queries the server's state, now and again. */
  async poll() {
    if (document.hidden && this.info) {
      // Nobody is looking at the page: do not bother the server.
      this.schedule(POLL_LIVE);
      return;
    }
    try {
      const info = await ask('state', {});
      const back = this.offline !== '';
      this.offline = '';
      this.clock = info.now - Date.now();
      const first = !this.info;
      const known = this.info && this.info.types.length;
      this.info = info;
      const end = this.liveEnd();
      // A long window is not asked for again before that would move it by about a pixel.
      const due = this.live && end - this.shownEnd >= Math.min(30e3, this.now.window.last / 600);
      if (first || back || due || known !== info.types.length) {
        this.shownEnd = end;
        this.refresh();
      }
    } catch (error) {
      this.lost(error);
      this.changed();
    }
    this.schedule(this.live || this.offline || !this.type ? POLL_LIVE : POLL_STILL);
  }

  schedule(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.poll(), wait);
  }

  toggleLive() {
    const window = this.window();
    if (this.live) {
      this.set({ window });
    } else {
      this.set({ window: { last: Math.max(10e3, window.to - window.from) }, selection: null });
      this.poll();
    }
  }

  /** Earlier (−1) or later (1) by half of what is selected; else by half of the window. */
  shift(direction) {
    const { selection } = this.now;
    const move = (range) => {
      const by = (direction * (range.to - range.from)) / 2;
      return { ...range, from: Math.round(range.from + by), to: Math.round(range.to + by) };
    };
    if (selection) {
      this.set({ selection: move(selection) });
    } else {
      this.set({ window: move(this.window()) });
    }
  }

  /** Makes the window wider (2) or narrower (0.5) about its middle, or about the selection. */
  widen(factor) {
    const { window } = this.now;
    if (window.last) {
      this.set({ window: { last: Math.max(10e3, Math.round(window.last * factor)) } });
      return;
    }
    const { from, to } = this.now.selection || window;
    const middle = (from + to) / 2;
    const half = Math.max(1e3, ((window.to - window.from) * factor) / 2);
    this.set({ window: { from: Math.round(middle - half), to: Math.round(middle + half) } });
  }
}
