// Draws the visible part of a layout on one canvas in one pass.
import { THEMES } from './colour.js';
import { Kind } from './data.js';
import { firstEndingAfter } from './tree.js';

export const ROW = 20;

const FONT = '12px system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif';
const PADDING = 4;
const LEAST_TEXT = 28;
const LEAST_LETTERS = 3;

/** Widths of characters, measured once each. */
class TextWidths {
  constructor(context) {
    this.context = context;
    this.known = new Map();
    this.ellipsis = this.of('…');
  }

  of(character) {
    let width = this.known.get(character);
    if (width === undefined) {
      width = this.context.measureText(character).width;
      this.known.set(character, width);
    }
    return width;
  }

  /** As much of a text as fits, with an ellipsis if that is not all. */
  fit(text, room) {
    let width = 0;
    let kept = 0;
    for (const character of text) {
      width += this.of(character);
      if (width > room) {
        return kept < LEAST_LETTERS ? '' : text.slice(0, kept) + '…';
      }
      if (width + this.ellipsis <= room) {
        kept += character.length;
      }
    }
    return text;
  }
}

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', { alpha: false });
    this.widths = null;
    this.hatches = {};
    this.width = 0;
    this.height = 0;
  }

  resize(width, height) {
    const ratio = devicePixelRatio || 1;
    // Setting a canvas's size clears it and all its settings, even to the same.
    const wide = Math.max(1, Math.round(width * ratio));
    const high = Math.max(1, Math.round(height * ratio));
    if (this.widths && this.canvas.width === wide && this.canvas.height === high) {
      return;
    }
    this.width = width;
    this.height = height;
    this.canvas.width = wide;
    this.canvas.height = high;
    this.canvas.style.width = width + 'px';
    this.canvas.style.height = height + 'px';
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.font = FONT;
    this.context.textBaseline = 'middle';
    this.context.direction = 'ltr';
    this.widths = new TextWidths(this.context);
  }

  /**
   * Draws a scene: { tree, layout, symbols, colours, theme, zoom, found, top } where `top(level)`
   * is the upper edge of a level's row.
   */
  draw(scene) {
    const { context } = this;
    const { tree, layout, zoom } = scene;
    context.fillStyle = THEMES[scene.theme].back;
    context.fillRect(0, 0, this.width, this.height);
    const from = layout.start[zoom];
    const scale = layout.width[zoom] > 0 ? this.width / layout.width[zoom] : 0;
    for (let at = tree.parent[zoom]; at >= 0; at = tree.parent[at]) {
      const y = scene.top(tree.depth[at]);
      if (this.isVisible(y)) {
        this.box(scene, at, 0, this.width, y, true);
      }
    }
    for (let level = tree.depth[zoom]; level <= tree.deepest; level++) {
      const y = scene.top(level);
      if (this.isVisible(y)) {
        this.level(scene, level, from, scale, y);
      }
    }
  }

  isVisible(y) {
    return y > -ROW && y < this.height;
  }

  /** One row: boxes by themselves, what is thinner than a pixel as slivers, alike ones as one. */
  level(scene, level, from, scale, y) {
    const { layout } = scene;
    const end = layout.levelStart[level + 1];
    const to = from + layout.width[scene.zoom];
    const run = { from: 0, to: -1, colour: '', dim: false };
    let i = firstEndingAfter(layout, level, from);
    while (i < end) {
      const node = layout.levels[i];
      if (layout.start[node] >= to || scale === 0) {
        break;
      }
      const x = (layout.start[node] - from) * scale;
      const width = layout.width[node] * scale;
      if (width >= 1) {
        this.box(scene, node, x, width, y, false);
        i++;
        continue;
      }
      const pixel = Math.floor(x);
      const dim = Boolean(scene.found && !scene.found[scene.tree.symbol[node]]);
      const colour = scene.colour(node);
      if (pixel > run.to || colour !== run.colour || dim !== run.dim) {
        this.slivers(run, y);
        Object.assign(run, { from: pixel, colour, dim });
      }
      run.to = pixel + 1;
      i = Math.max(i + 1, firstEndingAfter(layout, level, from + (pixel + 1) / scale));
    }
    this.slivers(run, y);
  }

  slivers({ from, to, colour, dim }, y) {
    if (to > from) {
      this.context.globalAlpha = dim ? 0.15 : 0.6;
      this.context.fillStyle = colour;
      this.context.fillRect(from, y, to - from, ROW - 1);
      this.context.globalAlpha = 1;
    }
  }

  box(scene, node, x, width, y, above) {
    const { context } = this;
    const symbol = scene.tree.symbol[node];
    const matched = scene.found && scene.found[symbol];
    const dim = scene.found && !matched;
    const shown = Math.max(width - 1, Math.min(width, 0.7));
    context.globalAlpha = dim ? 0.22 : above ? 0.55 : 1;
    context.fillStyle = scene.colour(node);
    context.fillRect(x, y, shown, ROW - 1);
    const cut = scene.symbols.kinds[symbol] === Kind.CUT;
    if ((scene.symbols.inlined[symbol] || cut) && width > 3) {
      context.fillStyle = this.hatch(scene.theme);
      context.fillRect(x, y, shown, ROW - 1);
    }
    context.globalAlpha = dim ? 0.55 : 1;
    if (matched && width > 2) {
      context.fillStyle = THEMES[scene.theme].mark;
      context.fillRect(x, y + ROW - 3, shown, 2);
    }
    if (width >= LEAST_TEXT) {
      const text = this.widths.fit(scene.symbols.names[symbol], width - 2 * PADDING - 1);
      if (text !== '') {
        context.fillStyle = THEMES[scene.theme].text;
        context.fillText(text, x + PADDING, y + ROW / 2);
      }
    }
    context.globalAlpha = 1;
  }

  /** A frame round a node: where the pointer is, or which one is selected. */
  outline(scene, node, strong) {
    const { tree, layout, zoom } = scene;
    const y = scene.top(tree.depth[node]);
    const inside = node >= zoom && node < tree.end[zoom];
    const scale = this.width / layout.width[zoom];
    const x = inside ? (layout.start[node] - layout.start[zoom]) * scale : 0;
    const width = inside ? layout.width[node] * scale : this.width;
    this.context.strokeStyle = THEMES[scene.theme].mark;
    this.context.lineWidth = strong ? 2 : 1;
    const inset = strong ? 1 : 0.5;
    this.context.strokeRect(
      x + inset,
      y + inset,
      Math.max(1, width - 1 - 2 * inset),
      ROW - 1 - 2 * inset,
    );
  }

  hatch(theme) {
    if (!this.hatches[theme]) {
      const tile = document.createElement('canvas');
      tile.width = 6;
      tile.height = 6;
      const context = tile.getContext('2d');
      context.strokeStyle = THEMES[theme].hatch;
      context.lineWidth = 1.5;
      context.beginPath();
      for (const shift of [-6, 0, 6]) {
        context.moveTo(shift - 1, 7);
        context.lineTo(shift + 7, -1);
      }
      context.stroke();
      this.hatches[theme] = this.context.createPattern(tile, 'repeat');
    }
    return this.hatches[theme];
  }
}
