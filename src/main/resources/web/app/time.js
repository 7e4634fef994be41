// Times for people, and steps of axes.

const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
].map((seconds) => seconds * 1000);

/** The smallest step in milliseconds that is no less. */
export function niceStep(least) {
  return STEPS.find((step) => step >= least) || Math.ceil(least / 86400e3) * 86400e3;
}

const two = (number) => String(number).padStart(2, '0');

/** `14:03` or, where seconds matter, `14:03:20`. */
export function clock(millis, seconds = true) {
  const date = new Date(millis);
  const text = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return seconds ? `${text}:${two(date.getSeconds())}` : text;
}

export function day(millis) {
  const date = new Date(millis);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Ticks of a time axis: { at, text }; a new day is named. */
export function ticks(from, to, most) {
  const step = niceStep((to - from) / Math.max(1, most));
  const offset = new Date(from).getTimezoneOffset() * 60e3;
  const first = Math.ceil((from - offset) / step) * step + offset;
  const list = [];
  let last = '';
  for (let at = first; at < to; at += step) {
    const today = day(at);
    const isDay = step >= 86400e3 || (last !== '' && today !== last);
    list.push({ at, text: isDay ? today.slice(5) : clock(at, step < 60e3) });
    last = today;
  }
  return list;
}

/** A range in words: `14:03:20 – 14:05:00`, with days where they are not today's. */
export function rangeText({ from, to }) {
  const today = day(Date.now());
  const name = (millis) => (day(millis) === today ? '' : day(millis) + ' ');
  const until = day(to) === day(from) ? clock(to) : name(to) + clock(to);
  return `${name(from)}${clock(from)} – ${until}`;
}

/** How long: `1 h 5 min`, `12 s`. */
export function lengthText(millis) {
  if (millis < 10e3) {
    return Math.round(millis / 100) / 10 + ' s';
  }
  const seconds = Math.round(millis / 1000);
  const parts = [
    [Math.floor(seconds / 86400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ].filter(([count]) => count > 0);
  return parts
    .slice(0, 2)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** What was typed: `14:03`, `2026-11-15 14:03:20`, `now`, `now-1h`, milliseconds; NaN if none. */
export function parseTime(text, now) {
  const trimmed = text.trim();
  const relative = /^now(?:\s*-\s*(\d+(?:\.\d+)?)([smhd]))?$/.exec(trimmed);
  if (relative) {
    const unit = { s: 1e3, m: 60e3, h: 3600e3, d: 86400e3 }[relative[2]] || 0;
    return now - (Number(relative[1]) || 0) * unit;
  }
  if (/^\d{12,}$/.test(trimmed)) {
    return Number(trimmed);
  }
  if (/^\d{1,2}:\d{2}(:\d{2})?$/.test(trimmed)) {
    const at = new Date(
      `${day(now)}T${trimmed.padStart(trimmed.length < 6 ? 5 : 8, '0')}`,
    ).getTime();
    return at > now ? at - 86400e3 : at;
  }
  return new Date(trimmed.replace(' ', 'T')).getTime();
}
