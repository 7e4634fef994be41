// Numbers for people: with a unit, in few digits.

const TIMES = ['ns', 'µs', 'ms', 's'];
const SIZES = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** A count in groups of three, parted by thin spaces. */
export function grouped(number) {
  const digits = Math.round(Math.abs(number)).toString();
  const parts = digits.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  return number < 0 && digits !== '0' ? '−' + parts : parts;
}

function scaled(number, step, units) {
  let rest = Math.abs(number);
  let unit = 0;
  while (rest >= step && unit < units.length - 1) {
    rest /= step;
    unit++;
  }
  const sign = number < 0 ? '−' : '';
  if (unit === 0 || rest >= 100000) {
    return sign + grouped(rest) + '\u202f' + units[unit];
  }
  return sign + rest.toFixed(rest < 10 ? 2 : rest < 100 ? 1 : 0) + '\u202f' + units[unit];
}

/** A value with its unit: `3.12 s`, `1.50 MB`, `2 068 samples`. */
export function amount(number, type) {
  switch (type.unit) {
    case 'nanoseconds':
      return scaled(number, 1000, TIMES);
    case 'microseconds':
      return scaled(number, 1000, TIMES.slice(1));
    case 'milliseconds':
      return scaled(number, 1000, TIMES.slice(2));
    case 'bytes':
      return scaled(number, 1024, SIZES);
    case 'count':
      return grouped(number) + '\u202f' + (number === 1 ? type.name.replace(/s$/, '') : type.name);
    default:
      return grouped(number) + '\u202f' + type.unit;
  }
}

/** A share of a base that is named beside it. */
export function percent(part, base) {
  if (!base) {
    return '–';
  }
  const share = (100 * part) / base;
  return share.toFixed(share !== 0 && Math.abs(share) < 0.1 ? 3 : 2) + '\u202f%';
}

/** A difference of shares, in points of per cent. */
export function points(difference) {
  const number = Math.abs(difference) < 5e-6 ? 0 : 100 * difference;
  const digits = number !== 0 && Math.abs(number) < 0.1 ? 3 : 2;
  const sign = number > 0 ? '+' : number < 0 ? '−' : '±';
  return sign + Math.abs(number).toFixed(digits) + '\u202fpt';
}

/** A difference of values, with its sign. */
export function change(number, type) {
  return (number > 0 ? '+' : number < 0 ? '−' : '±') + amount(Math.abs(number), type);
}
