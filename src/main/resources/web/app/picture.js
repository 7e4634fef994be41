// From an answer to what is drawn: read, shaped, laid out; each step only if it is new.
import { columnsOf } from '../flame/data.js';
import { Change, Plain } from '../flame/measure.js';
import { matchedTotal, matches } from '../flame/search.js';
import { complete, layOut, nodeOf, pathHashes } from '../flame/tree.js';
import { shape } from './shape.js';

export class Picture {
  /** `changed` is called when an answer has been taken. */
  constructor(changed) {
    this.changed = changed;
    this.answer = null;
    this.loaded = null;
    this.view = null;
  }

  /** Takes an answer after what is being drawn now; until then the old one stays. */
  take(answer) {
    if (!answer || this.answer === answer) {
      return;
    }
    this.answer = answer;
    queueMicrotask(() => {
      if (this.answer !== answer) {
        return;
      }
      const { symbols, nodes } = columnsOf(answer.tree);
      const whole = complete(nodes);
      const measure = answer.compared ? new Change(answer, answer.compared) : new Plain(answer);
      this.loaded = {
        answer,
        symbols,
        whole,
        measure,
        hashes: pathHashes(whole, symbols),
        follows: Boolean(answer.follows && this.loaded),
      };
      this.changed();
    });
  }

  /** What is drawn of it in this state, or null as long as there is nothing. */
  show(now) {
    const { loaded } = this;
    if (!loaded) {
      return null;
    }
    const want = {
      kernel: now.kernel,
      recursion: now.recursion,
      modules: now.modules,
      changes: now.changes,
    };
    const key = JSON.stringify(want);
    const known = this.view;
    if (!known || known.loaded !== loaded || known.key !== key) {
      const { tree, symbols } = shape(loaded.whole, loaded.symbols, want);
      const { measure, whole, hashes, answer } = loaded;
      if (known) {
        known.before = null;
      }
      this.view = {
        loaded,
        key,
        tree,
        symbols,
        measure,
        whole,
        hashes,
        profile: answer,
        layout: layOut(tree, measure.width(tree)),
        before: known && known.key === key && loaded.follows ? known : null,
      };
    }
    const { view } = this;
    view.zoom = nodeOfHash(view, now.zoom);
    view.found = matches(view.symbols, now.search);
    view.measure.colouring = now.colour;
    return view;
  }
}

/** The node of a path hash; the root if it is not there. */
export function nodeOfHash(view, hash) {
  if (!hash) {
    return 0;
  }
  const origin = view.hashes.indexOf(hash);
  return origin < 0 ? 0 : nodeOf(view.tree, view.whole, origin);
}

export function hashOf(view, node) {
  return node > 0 ? view.hashes[view.tree.origin[node]] : 0;
}

export function nameOf(view, node) {
  return view.symbols.names[view.tree.symbol[node]];
}

/** The names from a node up to the root. */
export function stackOf(view, node) {
  const names = [];
  for (let at = node; at > 0; at = view.tree.parent[at]) {
    names.push(nameOf(view, at));
  }
  return names;
}

export function matchedOf(view) {
  const { tree, found, zoom, measure } = view;
  return found ? matchedTotal(tree, found, zoom, measure.columns[0]) : null;
}
