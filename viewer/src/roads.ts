/** The lines of the graph on the canvas: original edges, and highways by round. */

import { LineLayer, type Frame, type LineSet } from "./lines";
import type { GraphData, Lines } from "./data";
import type { View } from "./filter";
import type { Theme } from "./theme";

/** More lines than these are left out while the picture moves. */
const TOO_MANY_TO_MOVE = 20_000;
const FAINT = 8;
const QUIET = 0.12;

interface Part {
  lines: Int32Array;
  set: LineSet;
}

export class Roads {
  private readonly layer: LineLayer;
  private readonly edges: Part;
  private readonly rounds = new Map<number, Part>();
  private matches: Uint8Array | null = null;

  constructor(
    gl: WebGL2RenderingContext,
    data: GraphData,
    private readonly lines: Lines,
    private readonly positions: Float32Array,
  ) {
    this.layer = new LineLayer(gl);
    this.edges = this.part(Int32Array.from({ length: lines.edges }, (_, line) => line));
    const byRound = new Map<number, number[]>();
    data.highways.round.forEach((round, highway) => {
      if (!byRound.has(round)) byRound.set(round, []);
      byRound.get(round)!.push(lines.edges + highway);
    });
    for (const [round, members] of byRound) this.rounds.set(round, this.part(members));
  }

  /** Edges between two matching nodes stay, and highways of one: their anchors are labelled, hence never remote. */
  filter(matches: Uint8Array | null): void {
    if (matches === this.matches) return;
    this.matches = matches;
    for (const part of [this.edges, ...this.rounds.values()]) {
      const needed = part === this.edges ? 2 : 1;
      this.layer.strengthen(part.set, this.strength(part.lines, matches, needed));
    }
  }

  private strength(lines: Int32Array, matches: Uint8Array | null, needed: number): Uint8Array {
    const { from, to } = this.lines;
    const passes = (line: number) => !matches || matches[from[line]] + matches[to[line]] >= needed;
    return Uint8Array.from(lines, (line) => (passes(line) ? 255 : FAINT));
  }

  /** Whether it is better to leave the lines out until the picture rests. */
  get tooMany(): boolean {
    return this.lines.from.length > TOO_MANY_TO_MOVE;
  }

  draw(frame: Frame, theme: Theme, view: View, zoom: number, quiet: boolean): void {
    const { pixelRatio } = frame;
    const highways = this.lines.from.length - this.lines.edges;
    const loud = quiet ? QUIET : 1;
    const edge = { colour: theme.muted, alpha: loud * opacity(99, this.lines.edges, zoom), width: 0.8 };
    const highway = { colour: theme.highway, alpha: loud * opacity(47, highways, zoom), width: 1 };
    this.layer.begin(frame);
    if (view.edges) this.layer.draw(this.edges.set, edge, pixelRatio);
    for (const [round, { set }] of this.rounds) if (view.rounds.has(round)) this.layer.draw(set, highway, pixelRatio);
  }

  private part(members: ArrayLike<number>): Part {
    const lines = Int32Array.from(members);
    const ends = new Float32Array(4 * lines.length);
    lines.forEach((line, i) => {
      ends.set(this.positions.subarray(2 * this.lines.from[line], 2 * this.lines.from[line] + 2), 4 * i);
      ends.set(this.positions.subarray(2 * this.lines.to[line], 2 * this.lines.to[line] + 2), 4 * i + 2);
    });
    return { lines, set: this.layer.add(ends) };
  }
}

/** The more lines, the fainter each; and clearer again for those who come closer. */
function opacity(amount: number, lines: number, zoom: number): number {
  const clearer = Math.min(5, Math.sqrt(1 / zoom));
  return Math.min(0.6, Math.max(0.02, amount * clearer * Math.max(1, lines) ** -0.7));
}
