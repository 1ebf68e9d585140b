/** The graph rendering: sigma draws the nodes, one layer the edges below them and another the paths above them. */

import Graph from "graphology";
import Sigma from "sigma";
import { Camera } from "./camera";
import type { EdgeList, GraphData } from "./data";
import { EdgeLayer } from "./edge_layer";
import { classColumn, type ViewOptions } from "./filter";
import { FrameBudget } from "./frame_budget";
import { freeSide, type Box } from "./label_placement";
import { unitPositions, type Point } from "./layout";
import { NodeIndex } from "./node_index";
import { DIMMED, NodeStyle, NORMAL, ON_PATH, RAISED, SELECTED, type NodeAttributes, type Side } from "./node_style";
import { drawPaths, type Highlight } from "./path_layer";
import { sigmaSettings, themeSettings } from "./sigma_settings";
import { readTheme, type Theme } from "./theme";

/** Minimum hit radius of a node, in pixels. */
const MOUSE_RADIUS = 8;
const TOUCH_RADIUS = 20;

export interface GraphCanvasEvents {
  hover(node: number | null): void;
  select(node: number | null): void;
  firstRender(): void;
  contextLost(): void;
}

export class GraphCanvas {
  readonly camera: Camera;
  private readonly sigma: Sigma<NodeAttributes>;
  private readonly nodeStyle: NodeStyle;
  private readonly edgeLayer: EdgeLayer;
  private readonly pathContext: CanvasRenderingContext2D;
  private readonly nodeIndex: NodeIndex;
  private readonly positions: Float32Array;
  private readonly frameBudget = new FrameBudget();
  private theme: Theme;
  private highlight: Highlight | null = null;
  private touch = false;
  /** Boxes of the ids drawn in the present frame. */
  private readonly labels: Box[] = [];

  constructor(
    private readonly stage: HTMLElement,
    private readonly data: GraphData,
    private readonly edges: EdgeList,
    private view: ViewOptions,
    events: GraphCanvasEvents,
  ) {
    this.theme = readTheme(stage);
    this.positions = unitPositions(data);
    this.nodeIndex = new NodeIndex(this.positions);
    this.nodeStyle = new NodeStyle(data, Math.min(stage.clientWidth, stage.clientHeight));
    this.nodeStyle.setTheme(this.theme);
    this.sigma = new Sigma(this.createGraph(), stage, sigmaSettings(this.nodeStyle, this.theme, this.labels));
    this.camera = new Camera(this.sigma, this.positions);
    this.edgeLayer = new EdgeLayer(this.createEdgeContext(), data, edges, this.positions);
    this.pathContext = this.createPathContext();
    this.addListeners(events);
    this.sigma.once("afterRender", () => events.firstRender());
    this.sigma.scheduleRender();
  }

  /** Show a view; a highlight takes precedence over the filters. */
  show(view: ViewOptions, matches: Uint8Array | null, highlight: Highlight | null): void {
    this.view = view;
    this.highlight = highlight;
    this.nodeStyle.classes = classColumn(this.data, view.colourBy);
    this.updateEmphasis(matches, highlight);
    this.edgeLayer.filter(highlight ? null : matches);
    this.sigma.refresh();
  }

  /** Show a view that differs in its edges only, without processing all nodes again. */
  showEdges(view: ViewOptions): void {
    this.view = view;
    this.sigma.scheduleRender();
  }

  /** Process the document again, after its classes or predictions have changed; `show` renders it. */
  update(): void {
    this.nodeStyle.markLabelled();
    this.nodeStyle.setTheme(this.theme);
    const resize = (key: string, attributes: NodeAttributes) => ({ ...attributes, size: this.nodeStyle.size(Number(key)) });
    this.sigma.getGraph().updateEachNodeAttributes(resize, { attributes: ["size"] });
  }

  updateTheme(): void {
    this.theme = readTheme(this.stage);
    this.nodeStyle.setTheme(this.theme);
    this.sigma.setSettings(themeSettings(this.theme, this.labels));
    this.sigma.refresh();
  }

  resize(): void {
    this.sigma.scheduleRender();
  }

  /** Return the position of a node on the stage, in CSS pixels. */
  positionOf(node: number): Point {
    return this.sigma.graphToViewport({ x: this.positions[2 * node], y: this.positions[2 * node + 1] });
  }

  private createGraph(): Graph<NodeAttributes> {
    const graph = new Graph<NodeAttributes>({ type: "undirected" });
    for (let index = 0; index < this.data.ids.length; index++) {
      const [x, y] = this.positions.subarray(2 * index, 2 * index + 2);
      graph.addNode(String(index), { x, y, index, size: this.nodeStyle.size(index) });
    }
    return graph;
  }

  /** Use sigma's canvas for edges, which lies below the nodes and is empty because sigma's graph has no edges. */
  private createEdgeContext(): WebGL2RenderingContext {
    const context = this.sigma.getCanvases().edges.getContext("webgl2");
    if (!context) throw new Error("no WebGL 2");
    return context;
  }

  /** Use sigma's empty canvas for edge labels and move it above the nodes; node ids stay on top. */
  private createPathContext(): CanvasRenderingContext2D {
    const { nodes, edgeLabels, hoverNodes, labels } = this.sigma.getCanvases();
    nodes.after(edgeLabels);
    hoverNodes.after(labels);
    return edgeLabels.getContext("2d")!;
  }

  private addListeners(events: GraphCanvasEvents): void {
    const hover = (node: number | null) => {
      this.nodeStyle.hovered = node;
      this.stage.classList.toggle("hv-hovering", node !== null);
      events.hover(node);
    };
    this.sigma.on("enterNode", ({ node }) => hover(this.touch ? null : Number(node)));
    this.sigma.on("leaveNode", () => hover(null));
    this.sigma.getCamera().on("updated", () => hover(null));
    this.sigma.on("clickNode", ({ node }) => events.select(Number(node)));
    this.sigma.on("clickStage", () => events.select(null));
    this.sigma.on("beforeRender", () => (this.labels.length = 0));
    this.sigma.on("afterRender", () => this.drawEdges());
    this.sigma.getCanvases().nodes.addEventListener("webglcontextlost", () => events.contextLost());
    // Sigma would read the node's index back from the GPU, which stalls rendering and misses small nodes.
    Object.assign(this.sigma, { getNodeAtPosition: (at: Point) => this.nodeAt(at) });
    const setTouch = (event: PointerEvent) => (this.touch = event.pointerType === "touch");
    this.stage.addEventListener("pointerdown", setTouch);
    this.stage.addEventListener("pointermove", setTouch);
  }

  private nodeAt(at: Point): string | null {
    const { x, y } = this.sigma.viewportToGraph(at);
    const pixel = 1 / this.sigma.getGraphToViewportRatio();
    const minRadius = this.touch ? TOUCH_RADIUS : MOUSE_RADIUS;
    const radius = (size: number) => pixel * Math.max(minRadius, this.sigma.scaleSize(size));
    const { nodeStyle } = this;
    const node = this.nodeIndex.hit(x, y, (other) => radius(nodeStyle.size(other)), radius(nodeStyle.maxSize));
    return node === null ? null : String(node);
  }

  private drawEdges(): void {
    const { camera, sigma, theme, view, highlight } = this;
    if (camera.moving) this.frameBudget.record(performance.now());
    const hidden = camera.moving && (this.edgeLayer.tooManyToMove || this.frameBudget.exceeded);
    if (!hidden) this.edgeLayer.draw(sigma.getRenderParams(), theme, view, camera.ratio, highlight !== null);
    if (highlight) drawPaths(this.pathContext, highlight, this.edges, theme, (node) => this.positionOf(node));
  }

  private updateEmphasis(matches: Uint8Array | null, highlight: Highlight | null): void {
    const { emphasis, idSide } = this.nodeStyle;
    idSide.clear();
    if (!highlight) {
      emphasis.forEach((_, node) => (emphasis[node] = !matches || matches[node] ? NORMAL : DIMMED));
      return;
    }
    emphasis.fill(highlight.keepsOthers ? NORMAL : DIMMED);
    this.emphasiseEnds(highlight.incident, RAISED);
    this.emphasiseEnds(highlight.adjacent, RAISED);
    this.emphasiseEnds(highlight.originalPath, ON_PATH);
    this.emphasiseEnds(highlight.augmentedPath, ON_PATH);
    emphasis[highlight.node] = SELECTED;
    for (const node of highlight.ends) idSide.set(node, this.sideOf(node, highlight));
  }

  /** Place the id of a node on the side that fewer of its highlighted lines lead to. */
  private sideOf(node: number, { incident, adjacent, originalPath, augmentedPath }: Highlight): Side {
    const { from, to } = this.edges;
    const lines = [...incident, ...adjacent, ...originalPath, ...augmentedPath].filter((edge) => from[edge] === node || to[edge] === node);
    const others = lines.map((edge) => this.positions[2 * (from[edge] === node ? to[edge] : from[edge])]);
    return freeSide(this.positions[2 * node], others);
  }

  private emphasiseEnds(edges: number[], level: number): void {
    for (const edge of edges) {
      this.nodeStyle.emphasis[this.edges.from[edge]] = level;
      this.nodeStyle.emphasis[this.edges.to[edge]] = level;
    }
  }
}
