// For tests and the curious: what is shown, in numbers.
import { leastContrast } from './colour.js';

export function inspection(app) {
  const total = (node) => app.view.tree.total[app.view.measure.columns[0]][node];
  return {
    ready: true,
    state: () => ({ ...app.now, processes: app.now.processes ? [...app.now.processes] : null }),
    nodes: () => app.view.tree.count,
    /** The sum of all, in the unit of the main value. */
    total: () => total(0) * app.profile.values[0].scale,
    zoomed: () => app.view.symbols.names[app.view.tree.symbol[app.view.zoom]],
    selected: () =>
      app.graph.selected < 0
        ? ''
        : app.view.symbols.names[app.view.tree.symbol[app.graph.selected]],
    /** Nodes of that name, the largest first, with their place on the canvas. */
    find: (name) => {
      const { tree, symbols, layout } = app.view;
      const found = [];
      for (let i = 0; i < tree.count; i++) {
        if (symbols.names[tree.symbol[i]] === name) {
          found.push(i);
        }
      }
      found.sort((a, b) => layout.width[b] - layout.width[a]);
      return found.map((node) => ({ node, ...app.graph.place(node) }));
    },
    /** The share of what is zoomed that the search matches. */
    matched: () => {
      const matched = app.matched();
      return matched ? matched.sum / total(app.view.zoom) : null;
    },
    /** The milliseconds that it takes to draw zooms to nodes all over the tree. */
    zoomTimes: (count) => {
      const times = [];
      for (let i = 0; i < count; i++) {
        app.view.zoom = i % 2 === 0 ? 0 : Math.floor((app.view.tree.count * i) / count);
        const begin = performance.now();
        app.showGraph();
        times.push(performance.now() - begin);
      }
      app.show();
      return times;
    },
    rows: () => app.table.rows.length,
    leastContrast,
  };
}
