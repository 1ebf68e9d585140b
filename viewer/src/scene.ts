/** The picture: sigma draws the nodes, our own layers the lines beneath them and the chosen ways over them. */

import Graph from "graphology";
import Sigma from "sigma";
import { Camera } from "./camera";
import type { GraphData, Lines } from "./data";
import { classesBy, type View } from "./filter";
import { unitPositions } from "./layout";
import { NodeGrid } from "./near";
import { CHOSEN, DIM, NodePaint, ON_WAY, PLAIN, RAISED, type NodeAttributes, type Side } from "./nodes";
import { Pace } from "./pace";
import { Roads } from "./roads";
import { settings, themed } from "./settings";
import { readTheme, type Theme } from "./theme";
import { drawWays, type Highlight } from "./ways";

/** How far from a node, in pixels, a mouse and a finger still hit it. */
const MOUSE = 8;
const FINGER = 20;

export interface SceneEvents {
  hover(node: number | null): void;
  choose(node: number | null): void;
  /** The first picture is there. */
  drawn(): void;
  /** The graphics card has dropped the picture. */
  lost(): void;
}

export interface Point {
  x: number;
  y: number;
}

export class Scene {
  readonly camera: Camera;
  private readonly sigma: Sigma<NodeAttributes>;
  private readonly paint: NodePaint;
  private readonly roads: Roads;
  private readonly sheet: CanvasRenderingContext2D;
  private readonly grid: NodeGrid;
  private readonly positions: Float32Array;
  private readonly pace = new Pace();
  private theme: Theme;
  private highlight: Highlight | null = null;
  private fingers = false;

  constructor(
    private readonly stage: HTMLElement,
    private readonly data: GraphData,
    private readonly lines: Lines,
    private view: View,
    events: SceneEvents,
  ) {
    this.theme = readTheme(stage);
    this.positions = unitPositions(data);
    this.grid = new NodeGrid(this.positions);
    this.paint = new NodePaint(data, Math.min(stage.clientWidth, stage.clientHeight));
    this.paint.restyle(this.theme);
    this.sigma = new Sigma(this.graph(), stage, settings(this.paint, this.theme));
    this.camera = new Camera(this.sigma, this.positions);
    this.roads = new Roads(this.lineContext(), data, lines, this.positions);
    this.sheet = this.wayContext();
    this.listen(events);
    this.sigma.once("afterRender", () => events.drawn());
    this.sigma.scheduleRender();
  }

  /** Shows the view; what is highlighted goes before what matches. */
  show(view: View, matches: Uint8Array | null, highlight: Highlight | null): void {
    this.view = view;
    this.highlight = highlight;
    this.paint.classes = classesBy(this.data, view.colourBy);
    this.shade(matches, highlight);
    this.roads.filter(highlight ? null : matches);
    this.sigma.refresh();
  }

  /** Shows a view in which only other lines are asked for, which spares going through all nodes. */
  showLines(view: View): void {
    this.view = view;
    this.sigma.scheduleRender();
  }

  restyle(): void {
    this.theme = readTheme(this.stage);
    this.paint.restyle(this.theme);
    this.sigma.setSettings(themed(this.theme));
    this.sigma.refresh();
  }

  resize(): void {
    this.sigma.scheduleRender();
  }

  /** Where a node is on the stage, in CSS pixels. */
  positionOf(node: number): Point {
    return this.sigma.graphToViewport({ x: this.positions[2 * node], y: this.positions[2 * node + 1] });
  }

  private graph(): Graph<NodeAttributes> {
    const graph = new Graph<NodeAttributes>({ type: "undirected" });
    for (let index = 0; index < this.data.ids.length; index++) {
      const [x, y] = this.positions.subarray(2 * index, 2 * index + 2);
      graph.addNode(String(index), { x, y, index, size: this.paint.size(index) });
    }
    return graph;
  }

  /** Sigma keeps a canvas beneath the nodes for edges; as its graph has none, that is ours. */
  private lineContext(): WebGL2RenderingContext {
    const context = this.sigma.getCanvases().edges.getContext("webgl2");
    if (!context) throw new Error("no WebGL 2");
    return context;
  }

  /** And one for labels of edges, free as well, which goes over the nodes; names go over everything. */
  private wayContext(): CanvasRenderingContext2D {
    const { nodes, edgeLabels, hoverNodes, labels } = this.sigma.getCanvases();
    nodes.after(edgeLabels);
    hoverNodes.after(labels);
    return edgeLabels.getContext("2d")!;
  }

  private listen(events: SceneEvents): void {
    const hover = (node: number | null) => {
      this.paint.hovered = node;
      this.stage.classList.toggle("hv-pointing", node !== null);
      events.hover(node);
    };
    this.sigma.on("enterNode", ({ node }) => hover(this.fingers ? null : Number(node)));
    this.sigma.on("leaveNode", () => hover(null));
    this.sigma.getCamera().on("updated", () => hover(null));
    this.sigma.on("clickNode", ({ node }) => events.choose(Number(node)));
    this.sigma.on("clickStage", () => events.choose(null));
    this.sigma.on("afterRender", () => this.drawLines());
    this.sigma.getCanvases().nodes.addEventListener("webglcontextlost", () => events.lost());
    // Sigma would read the node's number back from the graphics card, which stalls it and misses small nodes.
    Object.assign(this.sigma, { getNodeAtPosition: (at: Point) => this.nodeAt(at) });
    const touch = (event: PointerEvent) => (this.fingers = event.pointerType === "touch");
    this.stage.addEventListener("pointerdown", touch);
    this.stage.addEventListener("pointermove", touch);
  }

  private nodeAt(at: Point): string | null {
    const { x, y } = this.sigma.viewportToGraph(at);
    const pixel = 1 / this.sigma.getGraphToViewportRatio();
    const least = this.fingers ? FINGER : MOUSE;
    const reach = (size: number) => pixel * Math.max(least, this.sigma.scaleSize(size));
    const node = this.grid.nearest(x, y, (other) => reach(this.paint.size(other)), reach(this.paint.largest));
    return node === null ? null : String(node);
  }

  private drawLines(): void {
    const { camera, sigma, theme, view, highlight } = this;
    if (camera.moving) this.pace.count(performance.now());
    const leftOut = camera.moving && (this.roads.tooMany || this.pace.slow);
    if (!leftOut) this.roads.draw(sigma.getRenderParams(), theme, view, camera.ratio, highlight !== null);
    if (highlight) drawWays(this.sheet, highlight, this.lines, theme, (node) => this.positionOf(node));
  }

  private shade(matches: Uint8Array | null, highlight: Highlight | null): void {
    const { shade, named } = this.paint;
    named.clear();
    if (!highlight) {
      shade.forEach((_, node) => (shade[node] = !matches || matches[node] ? PLAIN : DIM));
      return;
    }
    shade.fill(DIM);
    this.raise(highlight.own, RAISED);
    this.raise(highlight.before, ON_WAY);
    this.raise(highlight.after, ON_WAY);
    shade[highlight.node] = CHOSEN;
    for (const node of highlight.ends) named.set(node, this.sideOf(node, highlight));
  }

  /** The name of the chosen node and those of the labels keep away from each other. */
  private sideOf(node: number, { node: chosen, ends }: Highlight): Side {
    const other = node === chosen ? ends[ends.length - 1] : chosen;
    return this.positions[2 * node] < this.positions[2 * other] ? "left" : "right";
  }

  private raise(lines: number[], level: number): void {
    for (const line of lines) {
      this.paint.shade[this.lines.from[line]] = level;
      this.paint.shade[this.lines.to[line]] = level;
    }
  }
}
