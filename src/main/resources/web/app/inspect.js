// For tests and the curious: what is shown, in numbers.
import { hashOf, matchedOf, nameOf } from './picture.js';

export function inspection(model, picture, sight) {
  const total = (node) => picture.view.tree.total[picture.view.measure.columns[0]][node];
  const scale = () => picture.view.measure.columns.length && picture.view.profile.values[0].scale;
  return {
    /** Whether all queries are answered and drawn. */
    ready: () =>
      Boolean(model.info) &&
      Object.values(model.answers).every((answer) => !answer.busy) &&
      (!model.answers.graph ||
        model.answers.graph.error ||
        (picture.loaded && picture.loaded.answer === model.answers.graph.data)),
    state: () => model.now,
    window: () => model.window(),
    errors: () =>
      Object.values(model.answers)
        .filter((answer) => answer.error)
        .map((answer) => answer.error.message),
    answer: (name) => model.answers[name] && model.answers[name].data,
    total: () => total(0) * scale(),
    nodes: () => picture.view.tree.count,
    zoomed: () => nameOf(picture.view, picture.view.zoom),
    matched: () => {
      const matched = matchedOf(picture.view);
      return matched ? matched.sum / total(picture.view.zoom) : null;
    },
    /** Nodes of that name, the largest first, with their place on the page. */
    find: (name) => {
      const { tree, layout } = picture.view;
      const found = [];
      for (let i = 0; i < tree.count; i++) {
        if (nameOf(picture.view, i) === name) {
          found.push(i);
        }
      }
      found.sort((a, b) => layout.width[b] - layout.width[a]);
      const box = sight.graph.painter.canvas.getBoundingClientRect();
      return found.map((node) => {
        const place = sight.graph.place(node);
        return { ...place, node, x: box.x + place.x, y: box.y + place.y };
      });
    },
    /** Zooms to the widest frame of a level; its name. */
    zoomInto: (level) => {
      const { view } = picture;
      const { levels, levelStart, width } = view.layout;
      const nodes = [...levels.slice(levelStart[level], levelStart[level + 1])];
      nodes.sort((a, b) => width[b] - width[a]);
      model.set({ zoom: hashOf(view, nodes[0]) });
      return nameOf(view, nodes[0]);
    },
    /** The names of the frames that are drawn, the widest of each level first. */
    widest: () => {
      const { tree, layout } = picture.view;
      const names = [];
      for (let level = 0; level <= tree.deepest; level++) {
        const nodes = layout.levels.slice(layout.levelStart[level], layout.levelStart[level + 1]);
        const [widest] = [...nodes].sort((a, b) => layout.width[b] - layout.width[a]);
        names.push(nameOf(picture.view, widest));
      }
      return names;
    },
    draw: () => sight.graph.draw(),
    /** The milliseconds that it takes to draw zooms to nodes all over the tree. */
    zoomTimes: (count) => {
      const { view } = picture;
      const { graph } = sight;
      const times = [];
      for (let i = 0; i < count; i++) {
        const zoom = i % 2 === 0 ? 0 : Math.floor((view.tree.count * i) / count);
        const begin = performance.now();
        graph.show({ ...graph.scene, zoom }, graph.upward);
        times.push(performance.now() - begin);
      }
      return times;
    },
  };
}
