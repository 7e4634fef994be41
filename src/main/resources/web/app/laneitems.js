// What lies in each lane: made from the columns of an answer.
import { hash } from '../flame/colour.js';

/** Names from the leaf to the root. */
export function stackNames(data, stack) {
  const names = [];
  for (let at = stack; at >= 0; at = data.callers[at]) {
    names.push(data.names[data.leaves[at]]);
  }
  return names;
}

/** The first frame from the leaf that is code: a wait's own leaf says its reason. */
function codeOf(data, stack) {
  let at = stack;
  while (at >= 0 && data.kinds[data.leaves[at]] === 6) {
    at = data.callers[at];
  }
  return at >= 0 ? data.leaves[at] : -1;
}

/**
 * Rows of { title, sub, items } with items in columns { start, end, kind, key, at }: times are
 * milliseconds since 1970.
 */
function rowsOf(count, describe) {
  return Array.from({ length: count }, (_, i) => ({ ...describe(i), items: [] }));
}

export function threadLanes(data) {
  const { on, off, threads, from } = data;
  const rows = rowsOf(threads.length, (i) => ({
    title: threads[i].name || threads[i].process || '(no name)',
    sub: `${threads[i].process} ${threads[i].pid}${threads[i].tid ? '/' + threads[i].tid : ''}`,
    tid: threads[i].tid,
    weight: 0,
  }));
  for (let i = 0; i < on.time.length; i++) {
    const end = from + on.time[i] / 1000;
    const row = rows[on.thread[i]];
    row.weight += on.value[i];
    row.items.push({
      start: end - on.value[i] / 1e6,
      end,
      on: true,
      stack: on.stack[i],
      symbol: codeOf(data, on.stack[i]),
      cpu: on.cpu[i],
      queue: on.queue[i],
    });
  }
  for (let i = 0; i < off.time.length; i++) {
    const end = from + off.time[i] / 1000;
    rows[off.thread[i]].items.push({
      start: end - off.value[i] / 1e6,
      end,
      on: false,
      stack: off.stack[i],
      symbol: codeOf(data, off.stack[i]),
      reason: data.reasons[off.reason[i]],
      waker: data.wakers[off.waker[i]],
    });
  }
  const used = rows.filter((row) => row.items.length > 0);
  used.sort((a, b) => b.weight - a.weight || b.items.length - a.items.length);
  sortItems(used);
  const byTid = new Map(used.map((row, i) => [row.tid, i]));
  return { rows: used, data, byTid, count: on.time.length + off.time.length, byQueue: false };
}

export function cpuLanes(data) {
  const { on, from, threads } = data;
  const most = on.cpu.reduce((a, b) => Math.max(a, b), -1);
  const rows = rowsOf(most + 1, (i) => ({ title: `CPU ${i}`, sub: '', tid: -1, weight: 0 }));
  for (let i = 0; i < on.time.length; i++) {
    const end = from + on.time[i] / 1000;
    const thread = threads[on.thread[i]];
    rows[on.cpu[i]].items.push({
      // A sample of a queue stands for the time since the sample before.
      start: on.value[i] ? end - on.value[i] / 1e6 : NaN,
      end,
      on: true,
      stack: on.stack[i],
      symbol: codeOf(data, on.stack[i]),
      cpu: on.cpu[i],
      queue: on.queue[i],
      task: `${thread.name || thread.process} (${thread.tid || thread.pid})`,
      hue: hash(thread.process || thread.name),
    });
  }
  const span = Math.max(1, data.to - data.from);
  rows.forEach((row) => {
    spread(row.items);
    const busy = row.items.reduce((sum, item) => sum + (item.end - item.start), 0);
    row.sub = `${Math.min(100, Math.round((100 * busy) / span))} % busy`;
  });
  sortItems(rows);
  return { rows, data, byTid: new Map(), count: on.time.length, byQueue: data.queued, tasks: true };
}

/** The stacks of one thread over time: a row per level, equal neighbours as one. */
export function threadChart(lanes, tid) {
  const { data } = lanes;
  const source = lanes.rows[lanes.byTid.get(tid)];
  if (!source) {
    return { ...lanes, rows: [], count: 0 };
  }
  const rows = [];
  for (const item of source.items) {
    const symbols = [];
    for (let at = item.stack; at >= 0; at = data.callers[at]) {
      symbols.push(data.leaves[at]);
    }
    symbols.reverse();
    let joined = true;
    symbols.forEach((symbol, level) => {
      rows[level] = rows[level] || { title: '', sub: '', tid: -1, items: [] };
      const before = rows[level].items.at(-1);
      // A gap as long as a sample is one that a sample fell into elsewhere.
      const gap = before ? item.start - before.end : Infinity;
      joined = joined && before && before.symbol === symbol && gap < 25;
      if (joined) {
        before.on = before.on || item.on;
        before.end = Math.max(before.end, item.end);
      } else {
        rows[level].items.push({ ...item, symbol, label: data.names[symbol] });
      }
    });
  }
  return { ...lanes, rows, byTid: new Map(), count: source.items.length, chart: source };
}

/** Starts of samples that do not tell how long they are: at most a usual gap before them. */
function spread(items) {
  items.sort((a, b) => a.end - b.end);
  const gaps = items.slice(1).map((item, i) => item.end - items[i].end);
  gaps.sort((a, b) => a - b);
  const usual = gaps.length ? gaps[gaps.length >> 1] : 10;
  items.forEach((item, i) => {
    if (Number.isNaN(item.start)) {
      item.start = Math.max(i ? items[i - 1].end : -Infinity, item.end - 1.5 * usual);
    }
  });
}

function sortItems(rows) {
  for (const row of rows) {
    row.items.sort((a, b) => a.start - b.start);
  }
}
