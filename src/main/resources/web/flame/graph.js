// The graph on its stage: scrolling, pointing, moving by keys.
import { Painter, ROW } from './painter.js';
import { firstEndingAfter } from './tree.js';

export class Graph {
  /**
   * `listener` hears { hover(node), select(node), zoom(node) }; a node of -1 is none. It may also
   * have { focus(node), menu(node, x, y) }: double click, and right click or Enter with Shift.
   */
  constructor(stage, spacer, canvas, listener) {
    this.stage = stage;
    this.spacer = spacer;
    this.painter = new Painter(canvas);
    this.listener = listener;
    this.scene = null;
    this.upward = false;
    this.hovered = -1;
    this.selected = -1;
    this.rows = 1;
    this.drawn = 0;
    this.waiting = false;
    stage.addEventListener('scroll', () => this.request());
    canvas.addEventListener('mousemove', (event) => this.point(event));
    canvas.addEventListener('mouseleave', () => this.hover(-1));
    canvas.addEventListener('click', (event) => this.click(event));
    if (listener.menu) {
      canvas.addEventListener('contextmenu', (event) => this.menu(event));
    }
    if (listener.focus) {
      canvas.addEventListener('dblclick', () => this.selected >= 0 && listener.focus(this.selected));
    }
    stage.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.resize()).observe(stage);
  }

  /**
   * Shows a scene. The scroll position stays unless the zoom or the direction is new. Where the
   * scene is the one before with newer numbers, `carry(node)` finds a node of it in the new tree.
   */
  show(scene, upward, carry = null) {
    const before = this.scene;
    const moved =
      !before ||
      (before.tree !== scene.tree && !carry) ||
      (before.zoom !== scene.zoom && !carry) ||
      this.upward !== upward;
    if (!before || before.tree !== scene.tree) {
      this.hovered = carry && this.hovered >= 0 ? carry(this.hovered) : -1;
      this.selected = carry && this.selected >= 0 ? carry(this.selected) : -1;
    }
    this.upward = upward;
    this.scene = { ...scene, top: (level) => this.top(level) };
    this.resize();
    if (moved) {
      this.stage.scrollTop = upward ? this.stage.scrollHeight : 0;
    }
  }

  resize() {
    if (!this.scene || this.stage.clientWidth === 0) {
      return;
    }
    const { tree, zoom } = this.scene;
    let deepest = tree.depth[zoom];
    for (let i = zoom; i < tree.end[zoom]; i++) {
      deepest = Math.max(deepest, tree.depth[i]);
    }
    this.rows = deepest + 1;
    this.spacer.style.height = this.rows * ROW + 'px';
    this.painter.resize(this.stage.clientWidth, this.stage.clientHeight);
    this.draw();
  }

  request() {
    if (!this.waiting) {
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.draw();
      });
    }
  }

  draw() {
    if (!this.scene) {
      return;
    }
    const begin = performance.now();
    this.painter.draw(this.scene);
    if (this.selected >= 0) {
      this.painter.outline(this.scene, this.selected, true);
    }
    if (this.hovered >= 0 && this.hovered !== this.selected) {
      this.painter.outline(this.scene, this.hovered, false);
    }
    this.drawn = performance.now() - begin;
  }

  /** The upper edge of a level's row on the canvas. */
  top(level) {
    if (!this.upward) {
      return level * ROW - this.stage.scrollTop;
    }
    const height = Math.max(this.rows * ROW, this.stage.clientHeight);
    return height - (level + 1) * ROW - this.stage.scrollTop;
  }

  /** The node at a place of the canvas, or -1. */
  hit(x, y) {
    if (!this.scene) {
      return -1;
    }
    const { tree, layout, zoom } = this.scene;
    const height = Math.max(this.rows * ROW, this.stage.clientHeight);
    const down = y + this.stage.scrollTop;
    const level = Math.floor((this.upward ? height - 1 - down : down) / ROW);
    if (level < 0 || level >= this.rows) {
      return -1;
    }
    if (level <= tree.depth[zoom]) {
      let at = zoom;
      while (tree.depth[at] > level) {
        at = tree.parent[at];
      }
      return at;
    }
    const value = layout.start[zoom] + (x / this.painter.width) * layout.width[zoom];
    const found = firstEndingAfter(layout, level, value);
    const node = found < layout.levelStart[level + 1] ? layout.levels[found] : -1;
    return node >= 0 && layout.start[node] <= value ? node : -1;
  }

  /** Where a node lies on the canvas. */
  place(node) {
    const { tree, layout, zoom } = this.scene;
    const scale = this.painter.width / layout.width[zoom];
    const inside = node >= zoom && node < tree.end[zoom];
    return {
      x: inside ? (layout.start[node] - layout.start[zoom]) * scale : 0,
      y: this.top(tree.depth[node]),
      width: inside ? layout.width[node] * scale : this.painter.width,
      height: ROW,
    };
  }

  point(event) {
    this.hover(this.hit(event.offsetX, event.offsetY));
  }

  hover(node) {
    if (node !== this.hovered) {
      this.hovered = node;
      this.request();
      this.listener.hover(node);
    }
  }

  click(event) {
    const node = this.hit(event.offsetX, event.offsetY);
    if (node >= 0 && event.detail < 2) {
      this.select(node);
      this.listener.zoom(node);
    }
  }

  menu(event) {
    const node = this.hit(event.offsetX, event.offsetY);
    if (node >= 0) {
      event.preventDefault();
      this.select(node);
      this.listener.menu(node, event.clientX, event.clientY);
    }
  }

  select(node) {
    this.selected = node;
    this.reveal(node);
    this.request();
    this.listener.select(node);
  }

  reveal(node) {
    const y = this.top(this.scene.tree.depth[node]);
    if (y < 0) {
      this.stage.scrollTop += y;
    } else if (y + ROW > this.stage.clientHeight) {
      this.stage.scrollTop += y + ROW - this.stage.clientHeight;
    }
  }

  key(event) {
    if (!this.scene || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    const outward = this.upward ? 'ArrowUp' : 'ArrowDown';
    const inward = this.upward ? 'ArrowDown' : 'ArrowUp';
    const at = this.selected >= 0 ? this.selected : this.scene.zoom;
    let to = at;
    if (event.key === 'Enter' && event.shiftKey && this.listener.menu) {
      const place = this.place(at);
      const box = this.painter.canvas.getBoundingClientRect();
      this.listener.menu(at, box.x + place.x + 8, box.y + place.y + ROW);
    } else if (event.key === 'Enter') {
      this.listener.zoom(at);
    } else if (event.key === outward) {
      to = this.selected < 0 ? at : this.firstChild(at);
    } else if (event.key === inward) {
      to = this.scene.tree.parent[at];
    } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      to = this.beside(at, event.key === 'ArrowLeft' ? -1 : 1);
    } else {
      return;
    }
    event.preventDefault();
    if (to >= 0) {
      this.select(to);
    }
  }

  firstChild(node) {
    const { tree } = this.scene;
    return node + 1 < tree.end[node] ? node + 1 : node;
  }

  /** The next node of the same level within what is zoomed, or the same one. */
  beside(node, step) {
    const { tree, layout, zoom } = this.scene;
    const level = tree.depth[node];
    if (level <= tree.depth[zoom]) {
      return node;
    }
    const middle = layout.start[node] + layout.width[node] / 2;
    const next = firstEndingAfter(layout, level, middle) + step;
    if (next < layout.levelStart[level] || next >= layout.levelStart[level + 1]) {
      return node;
    }
    const found = layout.levels[next];
    return found >= zoom && found < tree.end[zoom] ? found : node;
  }
}
