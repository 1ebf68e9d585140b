// The curve of accuracy by folds over the number of labels, with its 95 % interval, as SVG.
const labelCurve = (() => {
  "use strict";
  const { svg, make, byId, counted } = labelDom;
  const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [560, 220, 44, 12, 12, 34];
  const percent = (value) => `${(100 * value).toFixed(1)} %`;

  // A training with as many labels as the one before replaces it.
  const latest = (points) => [...new Map(points.map((point) => [point.labels, point])).values()].sort((a, b) => a.labels - b.labels);

  const scales = (points) => {
    const [first, last] = [points[0].labels, points[points.length - 1].labels];
    const span = Math.max(1, last - first);
    return {
      x: (labels) => (points.length === 1 ? (LEFT + WIDTH - RIGHT) / 2 : LEFT + ((labels - first) / span) * (WIDTH - LEFT - RIGHT)),
      y: (value) => TOP + (1 - value) * (HEIGHT - TOP - BOTTOM),
    };
  };

  const grid = (y) => [0, 0.25, 0.5, 0.75, 1].flatMap((value) => [
    svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
    svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, `${100 * value}`),
  ]);

  const ticks = (points, x) => {
    const step = Math.max(1, Math.ceil(points.length / 8));
    const shown = points.filter((_, i) => (points.length - 1 - i) % step === 0);
    return shown.map(({ labels }) => svg("text", { x: x(labels), y: HEIGHT - 16, "text-anchor": "middle" }, String(labels)));
  };

  const draw = (points) => {
    const { x, y } = scales(points);
    const path = (value) => points.map((point) => `${x(point.labels)},${y(value(point))}`);
    const band = [...path((point) => point.high), ...path((point) => point.low).reverse()].join(" ");
    const last = points[points.length - 1];
    const name = `Accuracy by folds over the number of labels: ${percent(last.accuracy)} with ${counted(last.labels, "label", "labels")}`;
    return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": name },
      ...grid(y), svg("polygon", { class: "band", points: band }),
      svg("polyline", { class: "line", points: path((point) => point.accuracy).join(" ") }),
      ...points.flatMap((point) => [
        svg("line", { class: "grid", x1: x(point.labels), x2: x(point.labels), y1: y(point.low), y2: y(point.high) }),
        svg("circle", { cx: x(point.labels), cy: y(point.accuracy), r: 4 }),
      ]),
      ...ticks(points, x), svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 2, "text-anchor": "end" }, "labels"));
  };

  let shown = "";
  const show = (all) => {
    const key = JSON.stringify(all);
    if (!all.length || key === shown) return;
    shown = key;
    const points = latest(all);
    const last = points[points.length - 1];
    byId("curve").replaceChildren(draw(points));
    byId("curve-text").replaceChildren(
      make("strong", {}, `${percent(last.accuracy)} accuracy by folds`),
      ` with ${counted(last.labels, "label", "labels")} (95 % interval ${percent(last.low)} to ${percent(last.high)}, ${last.folds} folds).`,
      " Every labelled node is predicted by a model that was trained without it. Labelled nodes are chosen, so that the rest of the graph may differ.",
    );
  };
  return { show };
})();
