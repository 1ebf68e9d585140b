/** Side panel of the selected node: its details, its path to the nearest label without and with highways, its highways. */

import type { GraphData } from "./data";
import { dot, icon, make } from "./dom";
import { comparesHighways, formatNumber, formatPathChange, formatPathLength, formatPercent, truncate } from "./format";
import { classLabel, mark, nodeDetails } from "./node_details";
import type { LabelPaths, Path } from "./paths";
import { nodeStory } from "./story";

const MAX_HIGHWAYS = 12;

const HIGHWAY_COLUMNS = [
  ["Node", "The other end of the highway"],
  ["Round", "The round that added the highway"],
  ["Conf.", "Confidence"],
  ["Score", "Pair score"],
  ["Correct", "Whether both ends have the same ground-truth class"],
];

export interface NodePanelEvents {
  goTo(node: number): void;
  close(): void;
}

export class NodePanel {
  readonly element = make("section", { className: "hv-panel", "aria-label": "Selected node", tabIndex: -1 });

  constructor(
    private readonly data: GraphData,
    private readonly events: NodePanelEvents,
  ) {
    this.clear();
  }

  clear(): void {
    const both = this.data.highways.from.length ? ", without and with highways" : "";
    const hint = `Select a node to see its shortest path to the nearest label${both}.`;
    this.element.replaceChildren(make("p", { className: "hv-hint" }, hint));
  }

  show(node: number, paths: LabelPaths, highways: number[]): void {
    const story = nodeStory(this.data, node, paths).map((text) => make("p", {}, text));
    const parts = [this.header(node)];
    if (story.length) parts.push(make("div", { className: "hv-story" }, ...story));
    parts.push(nodeDetails(this.data, node, { paths }));
    const why = window.highwayExplanation?.(this.data.ids[node]);
    if (why) parts.push(why);
    parts.push(this.pathChange(paths));
    if (!paths.labelled && paths.augmented) parts.push(this.paths(paths));
    if (!paths.exact && !paths.labelled)
      parts.push(make("p", { className: "hv-hint" }, "Paths are computed within the sample."));
    // Where there are none at all, the list of rounds states it.
    if (this.data.highways.from.length) parts.push(this.highways(node, highways));
    this.element.replaceChildren(...parts);
    if (this.element.parentElement) this.element.parentElement.scrollTop = 0;
  }

  /** The pressed button was removed. Focus the panel, or keyboard focus would return to the top of the page. */
  private restoreFocus(): void {
    this.element.focus({ preventScroll: true });
  }

  private header(node: number): HTMLElement {
    const id = String(this.data.ids[node]);
    const onclick = () => {
      this.events.close();
      this.restoreFocus();
    };
    const properties = { type: "button", "aria-label": "Close", title: "Close (Esc)", onclick };
    const close = make("button", properties, icon("M4 4l8 8M12 4l-8 8"));
    return make("div", { className: "hv-header" }, make("h3", { title: id }, truncate(id, 60)), close);
  }

  private pathChange(paths: LabelPaths): HTMLElement {
    const ofClass = paths.targetClass < 0 ? [] : [" of ", classLabel(this.data, paths.targetClass, true)];
    const where = paths.heldOut ? [" in other folds"] : [];
    const title = make("h4", {}, "Path to the nearest label", ...ofClass, ...where);
    const text = make("p", { className: "hv-path-change" }, formatPathChange(this.data, paths));
    return paths.labelled ? text : make("div", {}, title, text);
  }

  private paths(paths: LabelPaths): HTMLElement {
    const { original, augmented } = paths;
    const onOriginal = this.path("Original graph", original);
    if (!comparesHighways(this.data, paths)) return make("div", { className: "hv-paths" }, onOriginal);
    const withHighways = this.data.predicted_on === "original" ? "With highways, in training" : "With highways";
    return make("div", { className: "hv-paths" }, onOriginal, this.path(withHighways, augmented));
  }

  private path(title: string, path: Path | null): HTMLElement {
    const steps = (path?.nodes ?? []).map((node, index) => this.pathStep(path!, node, index));
    const heading = make("h5", {}, `${title} `, make("span", {}, formatPathLength(path)));
    return make("div", { className: "hv-path" }, heading, make("ol", {}, ...steps));
  }

  /** Show a node of a path; the line above it shows whether an edge or a highway leads to it. */
  private pathStep(path: Path, node: number, index: number): HTMLElement {
    const highway = index > 0 ? path.edges[index - 1] - this.data.edges.length / 2 : -1;
    const last = index === path.nodes.length - 1;
    const item = make("li", {}, dot(this.data.colours[this.data.predicted[node]] ?? "var(--hv-unknown)", last), this.nodeLink(node));
    if (highway < 0) return item;
    item.classList.add("hv-by-highway");
    item.prepend(make("span", { className: "hv-via" }, `highway, round ${this.data.highways.round[highway]}`));
    return item;
  }

  private nodeLink(node: number): HTMLElement {
    const id = String(this.data.ids[node]);
    const onclick = () => {
      this.events.goTo(node);
      this.restoreFocus();
    };
    return make("button", { type: "button", className: "hv-link", title: id, onclick }, truncate(id, 40));
  }

  private highways(node: number, highways: number[]): HTMLElement {
    if (!highways.length) return make("p", { className: "hv-hint" }, "This node has no highways.");
    const columns = HIGHWAY_COLUMNS.map(([name, title]) => make("th", { scope: "col", title }, name));
    const rows = highways.slice(0, MAX_HIGHWAYS).map((highway) => this.highwayRow(node, highway));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...columns)), make("tbody", {}, ...rows));
    const hidden = highways.length - rows.length;
    const more = hidden > 0 ? [make("p", { className: "hv-hint" }, `and ${formatNumber(hidden)} more.`)] : [];
    return make("div", {}, make("h4", {}, `Highways (${formatNumber(highways.length)})`), table, ...more);
  }

  private highwayRow(node: number, highway: number): HTMLElement {
    const { from, to, round, confidence, pair_score, correct } = this.data.highways;
    const other = from[highway] === node ? to[highway] : from[highway];
    const numbers = [String(round[highway]), formatPercent(confidence[highway]), formatPercent(pair_score[highway])];
    const verdict = correct[highway] < 0 ? "" : mark(correct[highway] === 1, "yes", "no");
    const cells = [this.nodeLink(other), ...numbers, verdict].map((content) => make("td", {}, content));
    return make("tr", {}, ...cells);
  }
}
