// The flame graph on its canvas, as a component.
import { h } from '../lib/preact.js';
import { useEffect, useLayoutEffect, useRef } from '../lib/hooks.js';
import { Graph } from '../flame/graph.js';
import { hashOf, nodeOfHash } from './picture.js';

/**
 * Shows a view of a picture. `hears` has { hover(node), zoom(node), focus(node), menu(node, x, y) };
 * `hold` is given the graph.
 */
export function Stage({ view, theme, upward, hears, id, label, hold }) {
  const stage = useRef(null);
  const spacer = useRef(null);
  const canvas = useRef(null);
  const graph = useRef(null);
  const latest = useRef(hears);
  latest.current = hears;
  useEffect(() => {
    graph.current = new Graph(stage.current, spacer.current, canvas.current, {
      hover: (node) => latest.current.hover(node),
      select: (node) => latest.current.hover(node),
      zoom: (node) => latest.current.zoom(node),
      focus: (node) => latest.current.focus(node),
      menu: (node, x, y) => latest.current.menu(node, x, y),
    });
    if (hold) {
      hold(graph.current);
    }
    draw();
    return () => hold && hold(null);
  }, []);
  const draw = () => {
    if (!graph.current || !view) {
      return;
    }
    const { tree, layout, symbols, found, zoom, measure, before } = view;
    const scene = { tree, layout, symbols, found, zoom, theme };
    scene.colour = measure.colour(theme, tree, symbols);
    const shown = graph.current.scene;
    const carry =
      before && shown && shown.tree === before.tree
        ? (node) => nodeOfHash(view, hashOf(before, node)) || -1
        : null;
    graph.current.show(scene, upward, carry);
  };
  useLayoutEffect(draw);
  return h(
    'div',
    {
      id,
      class: 'stage',
      ref: stage,
      tabIndex: 0,
      role: 'application',
      'aria-label': label,
      'aria-describedby': 'foot',
    },
    h('div', { ref: spacer, class: 'spacer' }, h('canvas', { ref: canvas, class: 'canvas' })),
  );
}
