// Lanes under the pointer and the keyboard: zooms, pans, selects, says what lies there.
import { symbolColours } from '../flame/colour.js';
import { amount } from '../flame/numbers.js';
import { element } from '../flame/panels.js';
import { stackNames } from './laneitems.js';
import { HEAD, LanePainter, ROW } from './lanepainter.js';
import { clock } from './time.js';

export class LaneCanvas extends LanePainter {
  /** `hears` has { hover(nodes), select({ from, to }), open(row) }. */
  constructor(holder, spacer, canvas, hears) {
    super();
    Object.assign(this, { holder, spacer, canvas, hears });
    this.context = canvas.getContext('2d');
    this.view = null;
    this.shown = null;
    this.drag = null;
    this.hovered = null;
    this.waiting = false;
    holder.addEventListener('scroll', () => this.request());
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => this.up(event));
    canvas.addEventListener('pointerleave', () => this.hover(null));
    canvas.addEventListener('dblclick', () => this.reset());
    holder.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(holder);
  }

  show(lanes, theme, range) {
    const fresh =
      !this.shown ||
      Boolean(this.lanes && this.lanes.chart) !== Boolean(lanes.chart) ||
      this.shown.from !== range.from ||
      this.shown.to !== range.to;
    this.lanes = lanes;
    this.theme = theme;
    if (fresh) {
      this.shown = { from: range.from, to: range.to };
      this.view = { from: range.from, to: range.to };
    }
    if (this.coloured !== lanes.data || this.colouredIn !== theme) {
      this.coloured = lanes.data;
      this.colouredIn = theme;
      const { names, modules, kinds } = lanes.data;
      this.colours = symbolColours(theme, { count: names.length, names, modules, kinds });
    }
    this.draw();
  }

  reset() {
    this.view = { ...this.shown };
    this.draw();
  }

  request() {
    if (!this.waiting) {
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.draw();
      });
    }
  }

  hit(x, y) {
    const index = Math.floor((y + this.holder.scrollTop - HEAD) / ROW);
    const row = this.lanes && y > HEAD && x > this.gutter ? this.lanes.rows[index] : null;
    if (!row) {
      return null;
    }
    const time = this.time(x);
    const near = (this.view.to - this.view.from) / this.holder.clientWidth;
    let best = null;
    for (const item of row.items) {
      if (item.start > time + near) {
        break;
      }
      if (item.end >= time - near && (!best || item.on || !best.on)) {
        best = item;
      }
    }
    return best ? { row, item: best, index } : null;
  }

  hover(found) {
    this.hovered = found;
    this.request();
    if (!found) {
      return;
    }
    const { item, row } = found;
    const length = amount((item.end - item.start) * 1e6, { unit: 'nanoseconds' });
    const names = stackNames(this.lanes.data, item.stack);
    const what = item.label ? `for ${length}` : whatText(item, length);
    this.hears.hover([
      element(
        'div',
        { class: 'what' },
        element(
          'bdi',
          { class: 'name' },
          `${item.label || row.title} · ${what} · ${clock(item.start)}`,
        ),
        element('bdi', { class: 'of' }, names.join(' ‹ ')),
      ),
    ]);
  }

  point(event) {
    return { x: event.offsetX, y: event.offsetY };
  }

  down(event) {
    const { x, y } = this.point(event);
    if (event.button === 0 && x <= this.gutter && y > HEAD) {
      const row = this.lanes.rows[Math.floor((y + this.holder.scrollTop - HEAD) / ROW)];
      if (row) {
        this.hears.open(row);
      }
    }
    if (event.button === 0 && x > this.gutter) {
      this.drag = { x, to: x, moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    }
  }

  move(event) {
    const { x, y } = this.point(event);
    if (!this.drag) {
      this.hover(this.hit(x, y));
      return;
    }
    this.drag.to = Math.max(this.gutter, x);
    this.drag.moved = this.drag.moved || Math.abs(x - this.drag.x) > 4;
    this.request();
  }

  up() {
    const { drag } = this;
    this.drag = null;
    if (drag && drag.moved) {
      const times = [this.time(drag.x), this.time(drag.to)].sort((a, b) => a - b);
      const from = Math.floor(times[0]);
      this.hears.select({ from, to: Math.max(from + 1, Math.ceil(times[1])) });
    }
    this.request();
  }

  wheel(event) {
    if (!event.ctrlKey && !event.shiftKey) {
      return;
    }
    event.preventDefault();
    if (event.ctrlKey) {
      this.zoom(this.time(event.offsetX), event.deltaY > 0 ? 1.25 : 0.8);
    } else {
      this.pan((event.deltaY + event.deltaX) / this.holder.clientWidth);
    }
  }

  zoom(about, factor) {
    const { from, to } = this.view;
    const span = Math.min(this.shown.to - this.shown.from, Math.max(0.05, (to - from) * factor));
    const part = (about - from) / (to - from);
    this.place(about - part * span, span);
  }

  pan(part) {
    const span = this.view.to - this.view.from;
    this.place(this.view.from + part * span, span);
  }

  place(from, span) {
    const start = Math.min(Math.max(from, this.shown.from), this.shown.to - span);
    this.view = { from: start, to: start + span };
    this.request();
  }

  key(event) {
    const act = {
      ArrowLeft: () => this.pan(-0.2),
      ArrowRight: () => this.pan(0.2),
      '+': () => this.zoom((this.view.from + this.view.to) / 2, 0.7),
      '-': () => this.zoom((this.view.from + this.view.to) / 2, 1.4),
    }[event.key];
    if (act) {
      event.preventDefault();
      event.stopPropagation();
      act();
    }
  }
}

/** What a thread or a CPU did: ran, for whom and beside how many, or waited for what. */
function whatText(item, length) {
  if (!item.on) {
    const waker = item.waker ? `, woken by ${item.waker}` : '';
    return `off CPU for ${length}: ${item.reason || 'unknown'}${waker}`;
  }
  const task = item.task ? `, ${item.task}` : '';
  const queue = item.queue >= 0 ? `, ${item.queue} wanted it` : '';
  return `on CPU ${item.cpu}${task}${queue}, sampled for ${length}`;
}
