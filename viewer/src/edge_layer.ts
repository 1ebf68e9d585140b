/** WebGL layer of the edges: original edges, and highways by round. */

import type { EdgeList, GraphData } from "./data";
import type { ViewOptions } from "./filter";
import { LineRenderer, type Frame, type LineBatch } from "./line_renderer";
import type { Theme } from "./theme";

/** Above this number, edges are hidden while the camera moves. */
const MAX_EDGES_IN_MOTION = 20_000;
/** Opacity, of 255, of an edge that the filters exclude. */
const EXCLUDED_OPACITY = 8;
/** Factor on the opacity of all edges while a node is selected. */
const DIMMED_FACTOR = 0.12;

interface EdgeGroup {
  edges: Int32Array;
  batch: LineBatch;
}

export class EdgeLayer {
  private readonly renderer: LineRenderer;
  private readonly original: EdgeGroup;
  private readonly highways = new Map<number, EdgeGroup>();
  private matches: Uint8Array | null = null;

  constructor(
    gl: WebGL2RenderingContext,
    data: GraphData,
    private readonly edges: EdgeList,
    private readonly positions: Float32Array,
  ) {
    this.renderer = new LineRenderer(gl);
    this.original = this.createGroup(Int32Array.from({ length: edges.numOriginal }, (_, edge) => edge));
    const byRound = new Map<number, number[]>();
    data.highways.round.forEach((round, highway) => {
      if (!byRound.has(round)) byRound.set(round, []);
      byRound.get(round)!.push(edges.numOriginal + highway);
    });
    for (const [round, members] of byRound) this.highways.set(round, this.createGroup(members));
  }

  /**
   * Fade the edges that the node filters exclude.
   *
   * An edge needs two matching ends. A highway needs only one, because its anchor is labelled and therefore never remote.
   */
  filter(matches: Uint8Array | null): void {
    if (matches === this.matches) return;
    this.matches = matches;
    for (const group of [this.original, ...this.highways.values()]) {
      const minEnds = group === this.original ? 2 : 1;
      this.renderer.setOpacity(group.batch, this.opacities(group.edges, matches, minEnds));
    }
  }

  private opacities(edges: Int32Array, matches: Uint8Array | null, minEnds: number): Uint8Array {
    const { from, to } = this.edges;
    const passes = (edge: number) => !matches || matches[from[edge]] + matches[to[edge]] >= minEnds;
    return Uint8Array.from(edges, (edge) => (passes(edge) ? 255 : EXCLUDED_OPACITY));
  }

  /** Whether to hide the edges until the camera is idle. */
  get tooManyToMove(): boolean {
    return this.edges.from.length > MAX_EDGES_IN_MOTION;
  }

  draw(frame: Frame, theme: Theme, view: ViewOptions, zoom: number, dimmed: boolean): void {
    const { pixelRatio } = frame;
    const { numOriginal } = this.edges;
    const numHighways = this.edges.from.length - numOriginal;
    const factor = dimmed ? DIMMED_FACTOR : 1;
    const edgeStyle = { colour: theme.muted, alpha: factor * lineAlpha(99, numOriginal, zoom), width: 0.8 };
    const highwayStyle = { colour: theme.highway, alpha: factor * lineAlpha(47, numHighways, zoom), width: 1 };
    this.renderer.begin(frame);
    if (view.showEdges) this.renderer.draw(this.original.batch, edgeStyle, pixelRatio);
    for (const [round, { batch }] of this.highways) {
      if (view.rounds.has(round)) this.renderer.draw(batch, highwayStyle, pixelRatio);
    }
  }

  private createGroup(members: ArrayLike<number>): EdgeGroup {
    const edges = Int32Array.from(members);
    const ends = new Float32Array(4 * edges.length);
    edges.forEach((edge, i) => {
      ends.set(this.positions.subarray(2 * this.edges.from[edge], 2 * this.edges.from[edge] + 2), 4 * i);
      ends.set(this.positions.subarray(2 * this.edges.to[edge], 2 * this.edges.to[edge] + 2), 4 * i + 2);
    });
    return { edges, batch: this.renderer.createBatch(ends) };
  }
}

/** More lines are drawn fainter, and zooming in makes them more opaque. */
function lineAlpha(scale: number, lines: number, zoom: number): number {
  const zoomFactor = Math.min(5, Math.sqrt(1 / zoom));
  return Math.min(0.6, Math.max(0.02, scale * zoomFactor * Math.max(1, lines) ** -0.7));
}
