// The table of functions, as a component.
import { h } from '../lib/preact.js';
import { useEffect, useLayoutEffect, useRef } from '../lib/hooks.js';
import { cutText } from '../flame/measure.js';
import { matches } from '../flame/search.js';
import { Table } from '../flame/table.js';
import { functionTotals } from '../flame/totals.js';

export function sortOrder(now, measure) {
  const text = now.sort || measure.defaultSort;
  return { key: text.replace(/^-/, ''), up: text.startsWith('-') };
}

/** The function of a row: { name, module, kind }. */
function frameAt(table, id) {
  const { symbols } = table.view;
  const symbol = symbols.functionSymbols[id];
  return {
    name: symbols.names[symbol],
    module: symbols.modules[symbol],
    kind: symbols.kinds[symbol],
  };
}

/** Shows a view of a picture as a table; `pick(frame)` and `menu(frame, x, y)` hear of rows. */
export function Sheet({ model, view, theme, pick, menu }) {
  const sheet = useRef(null);
  const table = useRef(null);
  const shown = useRef('');
  const latest = useRef({});
  latest.current = { model, view, pick, menu };
  useEffect(() => {
    table.current = new Table(sheet.current, {
      sort: (key) => sortBy(latest.current.model, latest.current.view, key),
      pick: (id) => latest.current.pick(frameAt(table.current, id)),
    });
    sheet.current.addEventListener('contextmenu', (event) => {
      const row = event.target.closest('tr[data-row]');
      if (row) {
        event.preventDefault();
        latest.current.menu(
          frameAt(table.current, Number(row.dataset.row)),
          event.clientX,
          event.clientY,
        );
      }
    });
    show();
  }, []);
  const show = () => {
    if (!table.current || !view) {
      return;
    }
    const { tree, symbols, zoom, measure, found, profile } = view;
    const sort = sortOrder(model.now, measure);
    const counted = model.answers.table && !model.answers.table.busy;
    const key = JSON.stringify([sort, model.now.search, zoom, theme, counted]);
    if (shown.current.view === view && shown.current.key === key) {
      return;
    }
    shown.current = { view, key };
    const scroll = sheet.current.scrollTop;
    const exact = isPlain(model.now, view) && exactSums(model, measure);
    const named = exact ? exact.symbols : symbols;
    const sums = exact || functionTotals(tree, symbols, zoom, measure.columns);
    table.current.show({
      symbols: named,
      columns: measure.tableColumns(tree, zoom, sums),
      sort,
      found: exact ? matches(named, model.now.search) : found,
      theme,
      note: exact ? '' : cutText(profile, tree, measure),
    });
    sheet.current.scrollTop = scroll;
    table.current.fill();
  };
  useLayoutEffect(show);
  return h('div', { id: 'sheet', ref: sheet, tabIndex: 0, 'aria-label': 'Functions' });
}

const KINDS = ['all', 'process', 'kernel', 'native', 'jit', 'interpreted', 'waiting', 'cut'];

/** Whether the graph is cut, and nothing but its smallest frames is left out. */
function isPlain(now, view) {
  return (
    view.profile.cut.stacks > 0 &&
    !now.compare &&
    view.zoom === 0 &&
    now.kernel &&
    now.recursion &&
    !now.modules &&
    now.changes.length === 0
  );
}

/** The sums of all functions as the server made them, in the graph's units. */
function exactSums(model, { value }) {
  const { data, busy } = model.answers.table || {};
  if (!data || busy) {
    return null;
  }
  const scaled = (numbers) => [Float64Array.from(numbers, (number) => number / value.scale)];
  const symbols = {
    count: data.names.length,
    names: data.names,
    modules: data.modules,
    kinds: Uint8Array.from(data.kinds, (kind) => KINDS.indexOf(kind)),
    functionSymbols: data.names.map((_, i) => i),
  };
  return { symbols, self: scaled(data.self), total: scaled(data.total) };
}

function sortBy(model, view, key) {
  const current = sortOrder(model.now, view.measure);
  const words = key === 'name' || key === 'module';
  const up = current.key === key ? !current.up : words;
  model.set({ sort: (up ? '-' : '') + key });
}
