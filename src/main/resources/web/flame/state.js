// What is being looked at: one state for all views, in the address, so that back undoes.

const VIEWS = ['icicle', 'flame', 'table'];
const DEFAULTS = {
  mode: 0,
  view: 'icicle',
  zoom: 0,
  search: '',
  kernel: true,
  processes: null,
  sort: '',
  theme: '',
};

function read(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const number = (name) => {
    const value = Number(parts.get(name));
    return Number.isInteger(value) && value >= 0 ? value : 0;
  };
  const processes = parts.get('p');
  return {
    mode: number('m'),
    view: VIEWS.includes(parts.get('v')) ? parts.get('v') : DEFAULTS.view,
    zoom: number('z'),
    search: parts.get('s') || '',
    kernel: parts.get('k') !== '0',
    processes:
      processes === null ? null : new Set(processes.split('.').filter(Boolean).map(Number)),
    sort: parts.get('o') || '',
    theme: ['light', 'dark'].includes(parts.get('d')) ? parts.get('d') : '',
  };
}

function write(state) {
  const parts = new URLSearchParams();
  const put = (name, value, unless) => value !== unless && parts.set(name, String(value));
  put('m', state.mode, 0);
  put('v', state.view, DEFAULTS.view);
  put('z', state.zoom, 0);
  put('s', state.search, '');
  put('k', state.kernel ? 1 : 0, 1);
  if (state.processes) {
    parts.set('p', [...state.processes].join('.'));
  }
  put('o', state.sort, '');
  put('d', state.theme, '');
  return '#' + parts.toString();
}

/** Holds the state and tells of its changes. */
export class State {
  /** `start` is what a page without an address of its own shows. */
  constructor(changed, start = '') {
    this.start = start;
    this.now = read(location.hash || start);
    this.changed = changed;
    addEventListener('popstate', () => this.follow());
    addEventListener('hashchange', () => this.follow());
  }

  /** Changes some of the state. `quietly`: typing, say, is one step back, not ten. */
  set(change, quietly = false) {
    const before = this.now;
    this.now = { ...before, ...change };
    const address = write(this.now);
    if (address === write(before)) {
      return;
    }
    if (quietly) {
      history.replaceState(null, '', address);
    } else {
      history.pushState(null, '', address);
    }
    this.changed(before);
  }

  follow() {
    const before = this.now;
    this.now = read(location.hash || this.start);
    if (write(before) !== write(this.now)) {
      this.changed(before);
    }
  }
}
