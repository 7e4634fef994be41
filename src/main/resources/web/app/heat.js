// The heatmap: a column per second (or several seconds), a row per part of a second, on a canvas.
import { GUTTER, prepare, RIGHT, scaleOf } from './chart.js';

/** From the ground to the strongest, in light and dark; the last is readable on both. */
const RAMPS = {
  light: [
    [255, 255, 255],
    [252, 232, 196],
    [245, 178, 110],
    [214, 96, 60],
    [128, 24, 40],
  ],
  dark: [
    [20, 22, 26],
    [58, 40, 40],
    [126, 58, 40],
    [214, 116, 48],
    [255, 226, 140],
  ],
};

function rampColour(theme, part) {
  const stops = RAMPS[theme];
  const at = Math.min(stops.length - 1.0001, part * (stops.length - 1));
  const low = Math.floor(at);
  return stops[low].map((from, i) => Math.round(from + (stops[low + 1][i] - from) * (at - low)));
}

/** The value that all but one in a hundred of the non-empty cells stay below. */
function strong(values) {
  const filled = values.filter((value) => value > 0).sort((a, b) => a - b);
  return filled.length ? filled[Math.floor((filled.length - 1) * 0.99)] : 1;
}

/** One pixel per cell; scaled up when it is drawn. */
function picture({ columns, rows, values }, theme) {
  const made = document.createElement('canvas');
  made.width = Math.max(1, columns);
  made.height = Math.max(1, rows);
  const context = made.getContext('2d');
  const image = context.createImageData(made.width, made.height);
  const limit = strong(values);
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) {
      const value = values[column * rows + row];
      const part = value > 0 ? 0.12 + 0.88 * Math.min(1, value / limit) : 0;
      const [red, green, blue] = rampColour(theme, part);
      image.data.set([red, green, blue, 255], 4 * (row * columns + column));
    }
  }
  context.putImageData(image, 0, 0);
  return made;
}

/** The cell at a place: { at, low, high, value } or null. */
export function heatHit(canvas, { data, window }, x, y) {
  const scale = scaleOf(window, canvas.clientWidth);
  const column = Math.floor((scale.time(x) - data.from) / (data.secondsPerColumn * 1000));
  const row = Math.floor((y / canvas.clientHeight) * data.rows);
  if (x < GUTTER || column < 0 || column >= data.columns || row < 0 || row >= data.rows) {
    return null;
  }
  return {
    at: data.from + column * data.secondsPerColumn * 1000,
    low: (row * 1000) / data.rows,
    high: ((row + 1) * 1000) / data.rows,
    value: data.values[column * data.rows + row],
    seconds: data.secondsPerColumn,
  };
}

let cached = { data: null, theme: '', made: null };

export function drawHeat(canvas, { data, window, theme, ink }) {
  const { context, width, height } = prepare(canvas);
  if (cached.data !== data || cached.theme !== theme) {
    cached = { data, theme, made: picture(data, theme) };
  }
  const scale = scaleOf(window, width);
  const from = scale.x(data.from);
  const to = scale.x(data.from + data.columns * data.secondsPerColumn * 1000);
  context.save();
  context.beginPath();
  context.rect(GUTTER, 0, width - GUTTER - RIGHT, height);
  context.clip();
  context.imageSmoothingEnabled = false;
  if (data.columns > 0) {
    context.drawImage(cached.made, from, 0, to - from, height);
  }
  context.restore();
  context.strokeStyle = ink.line;
  context.strokeRect(GUTTER + 0.5, 0.5, width - GUTTER - RIGHT - 1, height - 1);
  context.fillStyle = ink.soft;
  context.textAlign = 'right';
  context.fillText('0 ms', GUTTER - 6, 6);
  context.fillText('500', GUTTER - 6, height / 2);
  context.fillText('1 s', GUTTER - 6, height - 7);
}
