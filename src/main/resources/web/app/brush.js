// Dragging over the charts selects; what is selected lies over them.
import { scaleOf } from './chart.js';

const LEAST = 4;

/** Rows of the heatmap, 40 ms each. */
export const ROWS = 25;
const ROW_MILLIS = 1000 / ROWS;

/** Rounds a rectangle to whole seconds and rows. */
function rectangle(window, width, height, a, b, parts) {
  const scale = scaleOf(window, width);
  const times = [scale.time(a.x), scale.time(b.x)].sort((x, y) => x - y);
  const grid = window.to - window.from > 60e3 ? 1000 : 100;
  const from = Math.floor(times[0] / grid) * grid;
  const to = Math.max(from + grid, Math.ceil(times[1] / grid) * grid);
  if (!parts) {
    return { from, to, low: 0, high: 1000 };
  }
  const row = (y) => Math.min(ROWS, Math.max(0, (y / height) * ROWS));
  const rows = [row(a.y), row(b.y)].sort((x, y) => x - y);
  const low = Math.min(ROWS - 1, Math.floor(rows[0])) * ROW_MILLIS;
  const second = Math.floor(times[0] / 1000) * 1000;
  return {
    from: second,
    to: Math.max(second + 1000, Math.ceil(times[1] / 1000) * 1000),
    low,
    high: Math.max(low + ROW_MILLIS, Math.ceil(rows[1]) * ROW_MILLIS),
  };
}

/**
 * Listens on a canvas. `get()` gives { window }; hears { drag(range, second), done(range, second),
 * clear(), zoom(), hover(x, y), leave() }; `parts` selects parts of each second too.
 */
export function brush(canvas, get, hears, parts) {
  let start = null;
  let moved = false;
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.x, y: event.clientY - box.y };
  };
  const range = (event) =>
    rectangle(get().window, canvas.clientWidth, canvas.clientHeight, start, point(event), parts);
  const down = (event) => {
    if (event.button === 0 && get().window) {
      start = { ...point(event), second: event.shiftKey };
      moved = false;
      canvas.setPointerCapture(event.pointerId);
    }
  };
  const move = (event) => {
    const at = point(event);
    if (!start) {
      hears.hover(at.x, at.y);
      return;
    }
    moved = moved || Math.abs(at.x - start.x) + (parts ? Math.abs(at.y - start.y) : 0) > LEAST;
    if (moved) {
      hears.drag(range(event), start.second);
    }
  };
  const up = (event) => {
    if (!start) {
      return;
    }
    const { second } = start;
    const selected = moved ? range(event) : null;
    start = null;
    if (selected) {
      hears.done(selected, second);
    } else if (event.detail < 2) {
      hears.clear();
    }
  };
  const cancel = () => {
    start = null;
    hears.drag(null, false);
  };
  const listeners = {
    pointerdown: down,
    pointermove: move,
    pointerup: up,
    pointercancel: cancel,
    pointerleave: () => hears.leave(),
    dblclick: () => hears.zoom(),
  };
  for (const [name, listener] of Object.entries(listeners)) {
    canvas.addEventListener(name, listener);
  }
  return () => {
    for (const [name, listener] of Object.entries(listeners)) {
      canvas.removeEventListener(name, listener);
    }
  };
}
