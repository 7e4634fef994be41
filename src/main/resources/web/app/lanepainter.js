// Draws lanes on a canvas: only what is in sight.
import { hash, kindColour, THEMES } from '../flame/colour.js';
import { Kind } from '../flame/data.js';
import { inkOf } from './theme.js';
import { clock, ticks } from './time.js';

export const ROW = 24;
export const HEAD = 22;

const FONT = '12px system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif';

/** Needs of what extends it: holder, spacer, canvas, context, lanes, theme, view, colours. */
export class LanePainter {
  get gutter() {
    const wide = this.holder.clientWidth;
    return this.lanes && this.lanes.chart ? 12 : wide < 600 ? 96 : 232;
  }

  x(time) {
    const room = this.holder.clientWidth - this.gutter - 12;
    return this.gutter + ((time - this.view.from) / (this.view.to - this.view.from)) * room;
  }

  time(x) {
    const room = this.holder.clientWidth - this.gutter - 12;
    const part = Math.min(1, Math.max(0, (x - this.gutter) / room));
    return this.view.from + part * (this.view.to - this.view.from);
  }

  draw() {
    if (!this.lanes || !this.holder.clientWidth) {
      return;
    }
    const { context, canvas, holder, lanes } = this;
    const ratio = devicePixelRatio || 1;
    const width = holder.clientWidth;
    const height = holder.clientHeight;
    this.spacer.style.height = `${HEAD + lanes.rows.length * ROW + 8}px`;
    if (
      canvas.width !== Math.round(width * ratio) ||
      canvas.height !== Math.round(height * ratio)
    ) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const ink = inkOf(this.theme);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = ink.back;
    context.fillRect(0, 0, width, height);
    context.font = FONT;
    context.textBaseline = 'middle';
    const first = Math.max(0, Math.floor((holder.scrollTop - HEAD) / ROW));
    const last = Math.min(lanes.rows.length, Math.ceil((holder.scrollTop + height) / ROW));
    for (let i = first; i < last; i++) {
      this.row(lanes.rows[i], HEAD + i * ROW - holder.scrollTop, width, ink);
    }
    this.head(width, ink);
    this.arrow(ink);
    if (this.drag && this.drag.moved) {
      context.fillStyle = 'rgb(24 87 184 / 18%)';
      const [a, b] = [this.drag.x, this.drag.to].sort((x, y) => x - y);
      context.fillRect(a, HEAD, b - a, height);
    }
  }

  head(width, ink) {
    const { context } = this;
    context.fillStyle = ink.back;
    context.fillRect(0, 0, width, HEAD);
    context.fillStyle = ink.soft;
    context.strokeStyle = ink.line;
    context.textAlign = 'center';
    const span = this.view.to - this.view.from;
    if (span >= 5000) {
      for (const tick of ticks(
        this.view.from,
        this.view.to,
        Math.floor((width - this.gutter) / 100),
      )) {
        context.fillText(tick.text, Math.max(this.gutter + 30, this.x(tick.at)), HEAD / 2);
      }
    } else {
      const step = 10 ** Math.floor(Math.log10(span / 4));
      for (
        let at = Math.ceil(this.view.from / step) * step;
        at < this.view.to;
        at += step * Math.ceil(span / step / 6)
      ) {
        context.fillText(
          `${clock(at)}.${String(Math.round(at * 1000) % 1e6)
            .padStart(6, '0')
            .slice(0, step < 1 ? 6 : 3)}`,
          Math.max(this.gutter + 44, this.x(at)),
          HEAD / 2,
        );
      }
    }
    context.beginPath();
    context.moveTo(0, HEAD - 0.5);
    context.lineTo(width, HEAD - 0.5);
    context.stroke();
  }

  row(row, y, width, ink) {
    const { context } = this;
    context.fillStyle = ink.text;
    context.textAlign = 'left';
    context.save();
    context.beginPath();
    context.rect(0, y, this.gutter - 8, ROW);
    context.clip();
    context.fillText(row.title, 12, y + ROW / 2);
    const used = context.measureText(row.title).width;
    context.fillStyle = ink.soft;
    context.fillText(row.sub, 12 + used + 8, y + ROW / 2);
    context.restore();
    context.save();
    context.beginPath();
    context.rect(this.gutter, y, width - this.gutter - 12, ROW);
    context.clip();
    this.items(row, y, ink);
    context.restore();
    context.strokeStyle = ink.line;
    context.globalAlpha = 0.5;
    context.beginPath();
    context.moveTo(0, y + ROW - 0.5);
    context.lineTo(width, y + ROW - 0.5);
    context.stroke();
    context.globalAlpha = 1;
  }

  /** Waits below, samples on top; what falls on one pixel is drawn once. */
  items(row, y, ink) {
    const { context, view } = this;
    for (const onCpu of [false, true]) {
      let drawn = -1;
      for (const item of row.items) {
        if (item.on !== onCpu || item.end < view.from || item.start > view.to) {
          continue;
        }
        const from = this.x(item.start);
        const to = Math.max(from + 1, this.x(item.end));
        if (to <= drawn) {
          continue;
        }
        drawn = Math.floor(to);
        context.fillStyle = this.colour(item);
        const tall = onCpu || this.lanes.chart;
        context.fillRect(
          from,
          y + (tall ? 2 : 6),
          Math.max(1, to - from - (to - from > 4 ? 0.5 : 0)),
          ROW - (tall ? 5 : 13),
        );
        if (to - from > 48) {
          this.name(item, from, to, y, ink);
        }
      }
    }
  }

  name(item, from, to, y, ink) {
    const { context } = this;
    const text =
      item.label || item.task || (item.on ? this.lanes.data.names[item.symbol] : item.reason) || '';
    context.save();
    context.beginPath();
    context.rect(from, y, to - from - 2, ROW);
    context.clip();
    context.fillStyle = item.on ? THEMES[this.theme].text : ink.text;
    context.textAlign = 'left';
    context.fillText(text, from + 4, y + ROW / 2);
    context.restore();
  }

  colour(item) {
    const { theme, lanes } = this;
    if (lanes.byQueue && item.queue >= 0) {
      const part = Math.min(1, Math.max(0, item.queue - 1) / 4);
      return theme === 'dark'
        ? `hsl(${140 - 140 * part},45%,${30 + 6 * part}%)`
        : `hsl(${140 - 140 * part},60%,${72 - 6 * part}%)`;
    }
    if (lanes.tasks) {
      return theme === 'dark' ? `hsl(${item.hue % 360},32%,34%)` : `hsl(${item.hue % 360},52%,76%)`;
    }
    if (item.on) {
      return item.symbol >= 0 ? this.colours[item.symbol] : kindColour(theme, Kind.PROCESS);
    }
    if (item.label && this.lanes.data.kinds[item.symbol] !== Kind.WAITING) {
      return theme === 'dark' ? 'hsl(220,6%,22%)' : 'hsl(220,8%,92%)';
    }
    const step = hash(item.reason || '') % 5;
    return theme === 'dark' ? `hsl(220,6%,${24 + 4 * step}%)` : `hsl(220,8%,${88 - 5 * step}%)`;
  }

  /** From who woke a thread to the end of its wait. */
  arrow(ink) {
    const { hovered, context, lanes, holder } = this;
    const tid =
      hovered && hovered.item.waker ? Number((/\((\d+)\)$/.exec(hovered.item.waker) || [])[1]) : 0;
    if (!tid || !lanes.byTid.has(tid)) {
      return;
    }
    const y = (row) => HEAD + row * ROW + ROW / 2 - holder.scrollTop;
    const x = this.x(hovered.item.end);
    const [from, to] = [y(lanes.byTid.get(tid)), y(hovered.index)];
    context.strokeStyle = ink.text;
    context.fillStyle = ink.text;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x, from);
    context.lineTo(x, to);
    context.stroke();
    const sign = to > from ? -1 : 1;
    context.beginPath();
    context.moveTo(x, to);
    context.lineTo(x - 4, to + 7 * sign);
    context.lineTo(x + 4, to + 7 * sign);
    context.fill();
    context.lineWidth = 1;
  }
}
