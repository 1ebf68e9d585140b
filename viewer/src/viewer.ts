/** The viewer: creates the components and holds the view options and the selection. */

import { cameraButtons, colourControls, filterControls } from "./controls";
import { allEdges, neighboursOf, originalEdgesOf, updateGraph, type EdgeList, type GraphData, type GraphUpdate } from "./data";
import { make } from "./dom";
import { edgeControls } from "./edge_controls";
import { defaultView, filterNodes, incidentHighways, visibleCounts, type ViewOptions } from "./filter";
import { formatMatches, formatSelection, formatTotals } from "./format";
import { GraphCanvas } from "./graph_canvas";
import { Legend } from "./legend";
import { NodePanel } from "./node_panel";
import type { Highlight } from "./path_layer";
import { labelPathFinder, type LabelPaths } from "./paths";
import { Search } from "./search";
import type { TestApi, ViewerState } from "./test_api";
import { watchTheme } from "./theme";
import { Tooltip } from "./tooltip";

export class Viewer implements TestApi {
  ready = false;
  private view: ViewOptions;
  private matches: Uint8Array | null = null;
  private selected: number | null = null;
  private paths: LabelPaths | null = null;
  private readonly edges: EdgeList;
  private findPaths: (node: number) => LabelPaths;
  private readonly stage = make("div", { className: "hv-stage", role: "img", "aria-label": "Graph" });
  /** The controls that depend on the document. */
  private readonly toolbar = make("div", { className: "hv-controls" });
  private readonly status = make("p", { className: "hv-status", role: "status", "aria-live": "polite" });
  private readonly tooltip: Tooltip;
  private readonly panel: NodePanel;
  private readonly legend: Legend;
  private readonly canvas: GraphCanvas;

  constructor(
    private readonly root: HTMLElement,
    private readonly data: GraphData,
  ) {
    this.view = defaultView(data);
    this.edges = allEdges(data);
    this.findPaths = labelPathFinder(data, this.edges);
    this.tooltip = new Tooltip(data);
    this.panel = new NodePanel(data, { goTo: (node) => this.goTo(node), close: () => this.clear() });
    this.legend = new Legend(data, (onlyClass) => this.change({ onlyClass }));
    this.legend.show(this.view);
    this.build(root);
    this.canvas = new GraphCanvas(this.stage, data, this.edges, this.view, {
      hover: (node) => this.hover(node),
      select: (node) => (node === null ? this.clear() : this.selectNode(node)),
      firstRender: () => this.start(),
      contextLost: () => (this.status.textContent = "The WebGL context was lost. Reload the page to see the graph."),
    });
    this.stage.parentElement!.append(this.tooltip.element, cameraButtons(this.canvas.camera, root));
    this.updateStatus();
    this.addListeners();
  }

  select(id: string | number): boolean {
    const node = this.indexOf(id);
    if (node >= 0) this.selectNode(node);
    return node >= 0;
  }

  show(id: string | number): boolean {
    const node = this.indexOf(id);
    if (node >= 0) this.goTo(node);
    return node >= 0;
  }

  focus(index: number): void {
    if (index !== this.selected) this.goTo(index);
  }

  update(columns: GraphUpdate): void {
    updateGraph(this.data, columns);
    this.findPaths = labelPathFinder(this.data, this.edges);
    if (this.selected !== null) this.paths = this.findPaths(this.selected);
    this.toolbar.replaceChildren(...this.controls());
    this.canvas.update();
    this.refresh();
    this.updateStatus();
  }

  clear(): void {
    this.selectNode(null);
    this.canvas.camera.back();
  }

  private indexOf(id: string | number): number {
    return this.data.ids.findIndex((other) => String(other) === String(id));
  }

  state(): ViewerState {
    const { misclassified, remote, changed, onlyClass, colourBy, showEdges, rounds } = this.view;
    const className = onlyClass === null ? null : (this.data.classes[onlyClass] ?? "unknown");
    return {
      selected: this.selected === null ? null : this.data.ids[this.selected],
      rounds: [...rounds].sort((a, b) => a - b),
      filters: { misclassified, remote, changed, class: className, colourBy, edges: showEdges },
      matches: this.matchCount(),
      visible: visibleCounts(this.data, this.view),
      zoom: this.canvas.camera.ratio,
    };
  }

  positionOf(index: number): { x: number; y: number } {
    const { left, top } = this.stage.getBoundingClientRect();
    const { x, y } = this.canvas.positionOf(index);
    return { x: left + x, y: top + y };
  }

  /** Begin with the story of one node: the whole graph at once explains little. */
  private start(): void {
    this.ready = true;
    const { start } = this.data;
    if (start !== null && start !== undefined && this.selected === null) this.goTo(start);
  }

  private build(root: HTMLElement): void {
    const search = new Search(this.data.ids, (node) => this.goTo(node));
    const div = (className: string, ...children: Node[]) => make("div", { className }, ...children);
    this.toolbar.replaceChildren(...this.controls());
    const toolbar = div("hv-toolbar", search.element, this.toolbar);
    const edges = edgeControls(this.data, (part) => this.change(part));
    const sidebar = div("hv-sidebar", this.panel.element, this.legend.element, edges);
    root.classList.add("hv");
    root.replaceChildren(div("hv-frame", toolbar, div("hv-canvas", this.stage), this.status, sidebar));
  }

  private controls(): HTMLElement[] {
    const onChange = (part: Partial<ViewOptions>) => this.change(part);
    return [filterControls(this.data, this.view, onChange), colourControls(this.data, this.view, onChange)];
  }

  private addListeners(): void {
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && this.selected !== null) this.clear();
    });
    new ResizeObserver(() => this.canvas.resize()).observe(this.stage);
    watchTheme(() => this.canvas.updateTheme());
  }

  private change(part: Partial<ViewOptions>): void {
    this.view = { ...this.view, ...part };
    const onlyEdges = "rounds" in part || "showEdges" in part;
    if (onlyEdges && this.selected === null) this.canvas.showEdges(this.view);
    else this.refresh();
    this.updateStatus();
  }

  private refresh(): void {
    this.matches = filterNodes(this.data, this.view);
    this.legend.show(this.view);
    this.canvas.show(this.view, this.matches, this.highlight());
  }

  private hover(node: number | null): void {
    if (node === null) this.tooltip.hide();
    else this.tooltip.show(node, this.canvas.positionOf(node));
  }

  /** Select a node and move the camera to it. */
  private goTo(node: number): void {
    this.selectNode(node);
    const { original, augmented } = this.paths!;
    const onPaths = [...(original?.nodes ?? []), ...(augmented?.nodes ?? [])];
    // A short path is shown with the neighbours.
    const neighbours = new Set(onPaths).size > 2 ? [] : neighboursOf(this.edges, node);
    this.canvas.camera.flyTo([node, ...onPaths, ...neighbours]);
  }

  private selectNode(node: number | null): void {
    if (node === this.selected) return;
    this.selected = node;
    this.paths = node === null ? null : this.findPaths(node);
    this.tooltip.hide();
    if (this.paths) this.panel.show(node!, this.paths, incidentHighways(this.data, node!));
    else this.panel.clear();
    this.canvas.show(this.view, this.matches, this.highlight());
    this.updateStatus();
    this.root.dispatchEvent(new CustomEvent("highway-select", { detail: node }));
  }

  private highlight(): Highlight | null {
    if (this.selected === null || !this.paths) return null;
    const { rounds } = this.view;
    const visible = (highway: number) => rounds.has(this.data.highways.round[highway]);
    const highways = incidentHighways(this.data, this.selected).filter(visible);
    const { original, augmented } = this.paths;
    return {
      node: this.selected,
      keepsOthers: "keepColours" in this.root.dataset,
      originalPath: original?.edges ?? [],
      augmentedPath: augmented?.edges ?? [],
      incident: highways.map((highway) => this.edges.numOriginal + highway),
      adjacent: this.view.showEdges ? originalEdgesOf(this.edges, this.selected) : [],
      ends: [this.selected, ...[original, augmented].flatMap((path) => path?.nodes.slice(-1) ?? [])],
    };
  }

  private matchCount(): number {
    return this.matches ? this.matches.reduce((sum, match) => sum + match, 0) : this.data.ids.length;
  }

  private updateStatus(): void {
    const totals = formatTotals(this.data, visibleCounts(this.data, this.view));
    const matches = formatMatches(this.view, this.matchCount(), this.data.ids.length);
    const selection = this.paths ? formatSelection(this.data, this.selected!, this.paths) : "";
    this.status.textContent = [totals, matches, selection].filter(Boolean).join(" ");
  }
}
