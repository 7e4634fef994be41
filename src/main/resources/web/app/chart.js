// The stacked areas over time, on a canvas.
import { ticks } from './time.js';

export const GUTTER = 52;
export const RIGHT = 12;

const FONT = '11px system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif';

/** Hues that colour-blind eyes tell apart, light and dark. */
const PALETTE = {
  light: [
    '#4e7fc4',
    '#e2954a',
    '#4fa37f',
    '#c2617b',
    '#8a77c2',
    '#b0a13d',
    '#5aa9c9',
    '#a4785a',
    '#7f9a4f',
    '#c487b8',
  ],
  dark: [
    '#5f92d8',
    '#d98d46',
    '#4d9f7d',
    '#c56a83',
    '#9484cf',
    '#b3a548',
    '#57a3c2',
    '#a97f62',
    '#86a158',
    '#c48bb9',
  ],
};
const REST = { light: '#c3c8d1', dark: '#4a515d' };

export function seriesName(series, by) {
  if (series.rest) {
    return 'all others';
  }
  const values = Object.values(series.labels).filter((value) => value !== '');
  return values.length ? values.join(' · ') : `(no ${by})`;
}

function slot(name, count) {
  let value = 7;
  for (let i = 0; i < name.length; i++) {
    value = (Math.imul(value, 31) + name.charCodeAt(i)) >>> 0;
  }
  return value % count;
}

/** One colour per series: its name's own where no larger one has it. */
export function seriesColours(series, by, theme) {
  const palette = PALETTE[theme];
  const taken = new Set();
  return series.map((one) => {
    if (one.rest) {
      return REST[theme];
    }
    let at = slot(seriesName(one, by), palette.length);
    for (let tries = 0; taken.has(at) && tries < palette.length; tries++) {
      at = (at + 1) % palette.length;
    }
    taken.add(at);
    return palette[at];
  });
}

function niceTop(most) {
  if (!(most > 0)) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((n) => n * power).find((n) => n >= most * 0.999);
}

/** A canvas of the size it has on the page. */
export function prepare(canvas) {
  const ratio = devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  context.textBaseline = 'middle';
  return { context, width, height };
}

/** From milliseconds to pixels and back, the same for all that lie above one another. */
export function scaleOf(window, width) {
  const room = Math.max(1, width - GUTTER - RIGHT);
  const span = Math.max(1, window.to - window.from);
  return {
    x: (time) => GUTTER + ((time - window.from) / span) * room,
    time: (x) => window.from + (Math.min(room, Math.max(0, x - GUTTER)) / room) * span,
  };
}

/**
 * Draws { series, from, step } in a window; `rate(value, step)` makes heights of values, `colours`
 * has one a series, `lit` is the one that stands out, -1 for none.
 */
export function drawChart(canvas, { data, window, rate, text, colours, lit, ink }) {
  const { context, width, height } = prepare(canvas);
  const scale = scaleOf(window, width);
  const bottom = height - 16;
  const top = 4;
  const { series, from, step } = data;
  const count = series.length ? series[0].values.length : 0;
  const heights = series.map((one) => heightsOf(one, from, step, window, rate));
  let most = 0;
  for (let i = 0; i < count; i++) {
    let sum = 0;
    for (const column of heights) {
      sum += column[i];
    }
    most = Math.max(most, sum);
  }
  const limit = niceTop(most);
  const y = (value) => bottom - (value / limit) * (bottom - top);
  axes(context, { width, top, bottom, limit, y, text, window, scale, ink });
  const base = new Float64Array(count);
  context.save();
  context.beginPath();
  context.rect(GUTTER, 0, width - GUTTER - RIGHT, height);
  context.clip();
  heights.forEach((column, index) => {
    context.globalAlpha = lit < 0 || lit === index ? 1 : 0.25;
    context.fillStyle = colours[index];
    context.beginPath();
    for (let i = 0; i < count; i++) {
      const x = scale.x(from + i * step);
      context.lineTo(x, y(base[i] + column[i]));
      context.lineTo(scale.x(from + (i + 1) * step), y(base[i] + column[i]));
    }
    for (let i = count - 1; i >= 0; i--) {
      context.lineTo(scale.x(from + (i + 1) * step), y(base[i]));
      context.lineTo(scale.x(from + i * step), y(base[i]));
      base[i] += column[i];
    }
    context.fill();
  });
  context.restore();
}

/** The last step may not be over: what there is of it counts for its own length. */
function heightsOf(series, from, step, window, rate) {
  return series.values.map((value, i) => {
    const begin = Math.max(from + i * step, window.from);
    const end = Math.min(from + (i + 1) * step, window.to);
    const whole = end - begin < step * 0.2 ? step : end - begin;
    return value === 0 ? 0 : rate(value, i === 0 && begin > from ? step : whole);
  });
}

function axes(context, { width, top, bottom, limit, y, text, window, scale, ink }) {
  context.strokeStyle = ink.line;
  context.fillStyle = ink.soft;
  context.lineWidth = 1;
  context.textAlign = 'right';
  const lines = bottom - top > 60 ? [0, 0.5, 1] : [0, 1];
  for (const part of lines) {
    const at = Math.round(y(limit * part)) + 0.5;
    context.beginPath();
    context.moveTo(GUTTER, at);
    context.lineTo(width - RIGHT, at);
    context.stroke();
    context.fillText(part === 0 ? '0' : text(limit * part), GUTTER - 6, Math.max(at, top + 6));
  }
  context.textAlign = 'center';
  for (const tick of ticks(
    window.from,
    window.to,
    Math.max(2, Math.floor((width - GUTTER) / 90)),
  )) {
    const x = Math.round(scale.x(tick.at)) + 0.5;
    context.beginPath();
    context.moveTo(x, bottom);
    context.lineTo(x, bottom + 4);
    context.stroke();
    if (x > GUTTER + 14 && x < width - RIGHT - 14) {
      context.fillText(tick.text, x, bottom + 10);
    }
  }
}

/** Which series lies at a place of the chart: { index, step } or null. */
export function chartHit(canvas, { data, window, rate }, px, py) {
  const { series, from, step } = data;
  if (!series.length) {
    return null;
  }
  const scale = scaleOf(window, canvas.clientWidth);
  const at = Math.floor((scale.time(px) - from) / step);
  if (px < GUTTER || at < 0 || at >= series[0].values.length) {
    return null;
  }
  const heights = series.map((one) => heightsOf(one, from, step, window, rate));
  let most = 0;
  for (let i = 0; i < series[0].values.length; i++) {
    most = Math.max(
      most,
      heights.reduce((sum, column) => sum + column[i], 0),
    );
  }
  const bottom = canvas.clientHeight - 16;
  const value = ((bottom - py) / (bottom - 4)) * niceTop(most);
  let sum = 0;
  let index = -1;
  heights.forEach((column, i) => {
    if (index < 0 && value <= sum + column[at] && value >= sum) {
      index = i;
    }
    sum += column[at];
  });
  return { index, at: from + at * step, values: heights.map((column) => column[at]), sum };
}
