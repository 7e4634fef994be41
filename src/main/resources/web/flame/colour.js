// Colours that mean something: hue is the kind of code, lightness the module, stable by its name.
import { Kind } from './data.js';

const STEPS = 8;

/** Hue, saturation and the lightest and darkest step, by kind, for each theme. */
const LIGHT = {
  [Kind.ALL]: [220, 12, 92, 92],
  [Kind.PROCESS]: [220, 14, 88, 84],
  [Kind.KERNEL]: [20, 88, 80, 67],
  [Kind.NATIVE]: [206, 68, 82, 67],
  [Kind.JIT]: [158, 46, 76, 59],
  [Kind.INTERPRETED]: [47, 88, 74, 58],
  [Kind.WAITING]: [220, 5, 84, 66],
  [Kind.CUT]: [330, 40, 90, 86],
};
const DARK = {
  [Kind.ALL]: [220, 8, 22, 22],
  [Kind.PROCESS]: [220, 10, 26, 29],
  [Kind.KERNEL]: [16, 56, 29, 39],
  [Kind.NATIVE]: [208, 48, 27, 39],
  [Kind.JIT]: [160, 48, 19, 28],
  [Kind.INTERPRETED]: [44, 62, 21, 29],
  [Kind.WAITING]: [220, 5, 27, 40],
  [Kind.CUT]: [330, 24, 24, 28],
};

/** Text, ground and lines of each theme, as the canvas needs them. */
export const THEMES = {
  light: { text: '#16191f', back: '#ffffff', hatch: 'rgb(255 255 255 / 45%)', mark: '#16191f' },
  dark: { text: '#f3f5f8', back: '#14161a', hatch: 'rgb(0 0 0 / 28%)', mark: '#ffffff' },
};

/** A small number from a text, always the same (FNV-1a). */
export function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return (value ^ (value >>> 15)) >>> 0;
}

function rgb(hue, saturation, lightness) {
  const s = saturation / 100;
  const l = lightness / 100;
  const channel = (n) => {
    const k = (n + hue / 30) % 12;
    const value = l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * value);
  };
  return [channel(0), channel(8), channel(4)];
}

function css([red, green, blue]) {
  return `rgb(${red},${green},${blue})`;
}

function shade(theme, kind, step) {
  const [hue, saturation, from, to] = (theme === 'dark' ? DARK : LIGHT)[kind];
  return rgb(hue, saturation, from + ((to - from) * step) / (STEPS - 1));
}

/** The colour that stands for a kind in the legend. */
export function kindColour(theme, kind) {
  return css(shade(theme, kind, 3));
}

/** A colour for each symbol; waiting ones are told apart by their reason. */
export function symbolColours(theme, symbols) {
  const colours = [];
  for (let i = 0; i < symbols.count; i++) {
    const kind = symbols.kinds[i];
    const text = kind === Kind.WAITING ? symbols.names[i] : symbols.modules[i];
    colours.push(css(shade(theme, kind, hash(text) % STEPS)));
  }
  return colours;
}

/** What a name belongs to: a Java or Go package, a namespace, else the module's file. */
export function packageOf(name, module) {
  const dotted = /^((?:[a-z_][\w]*[./])+)/.exec(name);
  if (dotted && !name.includes('::')) {
    return dotted[1].slice(0, -1);
  }
  const scoped = /^<?(?:impl )?([A-Za-z_]\w*)::/.exec(name);
  return scoped ? scoped[1] : module.split('/').pop();
}

/** A colour for each symbol by its package: as many hues as there are. */
export function packageColours(theme, symbols) {
  const colours = [];
  for (let i = 0; i < symbols.count; i++) {
    const kind = symbols.kinds[i];
    if (kind <= Kind.PROCESS || kind >= Kind.WAITING) {
      colours.push(css(shade(theme, kind, 0)));
      continue;
    }
    const number = hash(packageOf(symbols.names[i], symbols.modules[i]));
    const lightness = theme === 'dark' ? 26 + (number % 7) : 74 + (number % 9);
    colours.push(css(rgb((number >>> 4) % 360, theme === 'dark' ? 40 : 58, lightness)));
  }
  return colours;
}

/** Blue for less, red for more, grey for what is the same or may be chance; `by` is −1 to 1. */
export function changeColour(theme, by) {
  const size = Math.min(1, Math.abs(by));
  const strength = size === 0 ? 0 : 0.2 + 0.8 * Math.sqrt(size);
  const grey = theme === 'dark' ? [52, 56, 64] : [222, 225, 230];
  const blue = theme === 'dark' ? [32, 92, 176] : [104, 168, 242];
  const red = theme === 'dark' ? [172, 46, 40] : [246, 128, 112];
  const goal = by < 0 ? blue : red;
  return css(grey.map((from, i) => Math.round(from + (goal[i] - from) * strength)));
}

function luminance(channels) {
  const [red, green, blue] = channels.map((value) => {
    const c = value / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colours (WCAG 2, relative luminance). */
function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** The least contrast of text on any colour that may lie under it. */
export function leastContrast(theme) {
  const hex = THEMES[theme].text;
  const text = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  let least = 21;
  for (const kind of Object.values(Kind)) {
    for (let step = 0; step < STEPS; step++) {
      least = Math.min(least, contrast(text, shade(theme, kind, step)));
    }
  }
  for (let by = -10; by <= 10; by++) {
    const channels = changeColour(theme, by / 10).match(/\d+/g).map(Number);
    least = Math.min(least, contrast(text, channels));
  }
  return least;
}
