// What the values of a type are called, and how much of them there is at a time.
import { amount } from '../flame/numbers.js';

const digits = (value) =>
  Number.isInteger(value) ? String(value) : value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);

/** { title, rate(value, stepMillis), text(rate) } for the chart over time. */
export function overTime(type) {
  const perSecond = (value, step) => (value * 1000) / step;
  if (type.unit === 'nanoseconds') {
    const title =
      {
        process_cpu: 'CPU cores used',
        off_cpu: 'Threads off CPU',
        runq: 'Threads waiting for a CPU',
        lock: 'Threads waiting for locks',
        wall: 'Threads, on or off CPU',
      }[type.name] || `${type.name} ${type.sample}, at a time`;
    return { title, rate: (value, step) => value / (step * 1e6), text: digits };
  }
  if (type.sample.startsWith('inuse')) {
    return {
      title: type.unit === 'bytes' ? 'Memory in use' : 'Objects in use',
      rate: (value) => value,
      text: (value) => amount(value, type),
    };
  }
  if (type.name === 'run_queue_length' && type.sample === 'length') {
    return {
      title: 'Threads that want a CPU, sum of samples per second',
      rate: perSecond,
      text: digits,
    };
  }
  return {
    title: `${typeText(type)} a second`,
    rate: perSecond,
    text: (value) => (type.unit === 'count' ? digits(value) + '/s' : amount(value, type) + '/s'),
  };
}

/** A type's name for people: `cpu`, `off-CPU time`, `memory inuse_space`. */
export function typeText(type) {
  const known = {
    'process_cpu:cpu': 'CPU',
    'process_cpu:samples': 'CPU samples',
    'off_cpu:time': 'Off CPU',
    'off_cpu:waits': 'Waits',
    'run_queue_length:length': 'Run queues',
    'run_queue_length:samples': 'Run queues, samples',
  }[`${type.name}:${type.sample}`];
  return known || `${type.name} ${type.sample}`.replace(/_/g, ' ');
}
