// Self and total of each function as a table; only the rows in sight are in the page.
import { KIND_NAMES } from './data.js';
import { kindColour } from './colour.js';

const ROW_HEIGHT = 25;
const SPARE = 8;

export class Table {
  /** `listener` hears { sort(key), pick(functionId) }. */
  constructor(sheet, listener) {
    this.sheet = sheet;
    this.listener = listener;
    this.rows = [];
    this.columns = [];
    sheet.addEventListener('scroll', () => this.fill());
    sheet.addEventListener('click', (event) => this.click(event));
    sheet.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.fill()).observe(sheet);
  }

  /** Shows { symbols, columns, sort: { key, up }, found, theme, note }. */
  show(view) {
    this.view = view;
    this.columns = view.columns;
    this.rows = this.sorted(view);
    this.build();
    this.fill();
  }

  sorted({ symbols, columns, sort, found }) {
    const rows = [];
    symbols.functionSymbols.forEach((symbol, id) => {
      const counts = columns.some((column) => column.numbers[id] !== 0);
      if (counts && symbols.kinds[symbol] > 1 && (!found || found[symbol])) {
        rows.push(id);
      }
    });
    const name = (id) => symbols.names[symbols.functionSymbols[id]];
    const module = (id) => symbols.modules[symbols.functionSymbols[id]];
    const column = columns.find((c) => c.key === sort.key);
    let order = (a, b) => name(a).localeCompare(name(b));
    if (sort.key === 'module') {
      order = (a, b) => module(a).localeCompare(module(b)) || name(a).localeCompare(name(b));
    } else if (column) {
      const number = column.size
        ? (id) => Math.abs(column.numbers[id])
        : (id) => column.numbers[id];
      order = (a, b) => number(a) - number(b) || name(b).localeCompare(name(a));
    }
    rows.sort(order);
    return sort.up ? rows : rows.reverse();
  }

  build() {
    const { sort, note } = this.view;
    const table = document.createElement('table');
    table.setAttribute('aria-rowcount', this.rows.length + 1);
    const head = table.createTHead().insertRow();
    head.append(this.header('name', 'Function', sort, true, '46%'));
    head.append(this.header('module', 'Module', sort, true, '20%'));
    for (const column of this.columns) {
      head.append(this.header(column.key, column.title, sort, false, ''));
    }
    this.body = table.createTBody();
    this.sheet.replaceChildren(table);
    if (note) {
      const text = document.createElement('p');
      text.textContent = note;
      text.style.cssText = 'color:var(--soft);padding:0 16px';
      this.sheet.append(text);
    }
  }

  header(key, title, sort, left, width) {
    const cell = document.createElement('th');
    cell.scope = 'col';
    cell.style.width = width;
    if (left) {
      cell.className = 'left';
    }
    if (sort.key === key) {
      cell.setAttribute('aria-sort', sort.up ? 'ascending' : 'descending');
    }
    if (key === '') {
      cell.textContent = title;
      return cell;
    }
    const button = document.createElement('button');
    button.type = 'button';
    button.dataset.sort = key;
    button.textContent = title;
    cell.append(button);
    return cell;
  }

  /** Puts the rows in sight into the page, with gaps for the others. */
  fill() {
    if (!this.view || this.sheet.clientHeight === 0) {
      return;
    }
    const top = Math.max(0, Math.floor(this.sheet.scrollTop / ROW_HEIGHT) - SPARE);
    const visible = Math.ceil(this.sheet.clientHeight / ROW_HEIGHT) + 2 * SPARE;
    const first = Math.min(top, Math.max(0, this.rows.length - visible));
    const end = Math.min(this.rows.length, first + visible);
    const rows = [this.gap(first)];
    for (let i = first; i < end; i++) {
      rows.push(this.row(this.rows[i], i));
    }
    rows.push(this.gap(this.rows.length - end));
    this.body.replaceChildren(...rows);
  }

  gap(count) {
    const row = document.createElement('tr');
    row.setAttribute('aria-hidden', 'true');
    const cell = row.insertCell();
    cell.className = 'gap';
    cell.colSpan = this.columns.length + 2;
    cell.style.height = count * ROW_HEIGHT + 'px';
    return row;
  }

  row(id, index) {
    const { symbols, theme } = this.view;
    const symbol = symbols.functionSymbols[id];
    const row = document.createElement('tr');
    row.dataset.row = id;
    row.tabIndex = -1;
    row.setAttribute('aria-rowindex', index + 2);
    const name = row.insertCell();
    name.className = 'left';
    name.title = symbols.names[symbol];
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = kindColour(theme, symbols.kinds[symbol]);
    swatch.title = KIND_NAMES[symbols.kinds[symbol]];
    const text = document.createElement('bdi');
    text.textContent = symbols.names[symbol];
    name.append(swatch, text);
    const module = row.insertCell();
    module.className = 'left module';
    module.title = symbols.modules[symbol];
    module.textContent = symbols.modules[symbol].split('/').pop();
    for (const column of this.columns) {
      const cell = row.insertCell();
      cell.textContent = column.text(id);
      if (column.bar) {
        cell.className = 'share';
        cell.style.backgroundSize = `${Math.min(100, 100 * column.bar(id))}% 18px`;
      }
      if (column.mark) {
        cell.className = column.mark(id);
      }
    }
    return row;
  }

  click(event) {
    const button = event.target.closest('button[data-sort]');
    const row = event.target.closest('tr[data-row]');
    if (button) {
      this.listener.sort(button.dataset.sort);
    } else if (row) {
      this.listener.pick(Number(row.dataset.row));
    }
  }

  /** Down and up go from row to row, Enter picks one. */
  key(event) {
    const row = document.activeElement.closest('tr[data-row]');
    if (event.key === 'Enter' && row) {
      event.preventDefault();
      event.stopPropagation();
      this.listener.pick(Number(row.dataset.row));
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.target.closest('th')) {
      return;
    }
    event.preventDefault();
    const at = row ? this.rows.indexOf(Number(row.dataset.row)) + step : 0;
    if (at < 0 || at >= this.rows.length) {
      return;
    }
    const top = at * ROW_HEIGHT;
    const { scrollTop, clientHeight } = this.sheet;
    if (top < scrollTop) {
      this.sheet.scrollTop = top;
    } else if (top + 3 * ROW_HEIGHT > scrollTop + clientHeight) {
      this.sheet.scrollTop = top + 3 * ROW_HEIGHT - clientHeight;
    }
    this.fill();
    this.body.querySelector(`tr[data-row="${this.rows[at]}"]`).focus({ preventScroll: true });
  }
}
