// The table of functions, as a component.
import { h } from '../lib/preact.js';
import { useEffect, useLayoutEffect, useRef } from '../lib/hooks.js';
import { cutText } from '../flame/measure.js';
import { Table } from '../flame/table.js';
import { functionTotals } from '../flame/totals.js';

export function sortOrder(now, measure) {
  const text = now.sort || measure.defaultSort;
  return { key: text.replace(/^-/, ''), up: text.startsWith('-') };
}

/** Shows a view of a picture as a table; `pick(functionId)` hears what was chosen. */
export function Sheet({ model, view, theme, pick, menu }) {
  const sheet = useRef(null);
  const table = useRef(null);
  const shown = useRef('');
  const latest = useRef({});
  latest.current = { model, view, pick, menu };
  useEffect(() => {
    table.current = new Table(sheet.current, {
      sort: (key) => sortBy(latest.current.model, latest.current.view, key),
      pick: (id) => latest.current.pick(id),
    });
    sheet.current.addEventListener('contextmenu', (event) => {
      const row = event.target.closest('tr[data-row]');
      if (row) {
        event.preventDefault();
        latest.current.menu(Number(row.dataset.row), event.clientX, event.clientY);
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
    const key = JSON.stringify([sort, model.now.search, zoom, theme]);
    if (shown.current.view === view && shown.current.key === key) {
      return;
    }
    shown.current = { view, key };
    const scroll = sheet.current.scrollTop;
    const sums = functionTotals(tree, symbols, zoom, measure.columns);
    table.current.show({
      symbols,
      columns: measure.tableColumns(tree, zoom, sums),
      sort,
      found,
      theme,
      note: cutText(profile, tree, measure),
    });
    sheet.current.scrollTop = scroll;
    table.current.fill();
  };
  useLayoutEffect(show);
  return h('div', { id: 'sheet', ref: sheet, tabIndex: 0, 'aria-label': 'Functions' });
}

function sortBy(model, view, key) {
  const current = sortOrder(model.now, view.measure);
  const words = key === 'name' || key === 'module';
  const up = current.key === key ? !current.up : words;
  model.set({ sort: (up ? '-' : '') + key });
}
