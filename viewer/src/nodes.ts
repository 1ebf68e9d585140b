/** How nodes look: colour by class, size by confidence, a ring for labels; one step per node and redraw. */

import { fromHex, hex, mix, type Theme } from "./theme";
import type { GraphData } from "./data";

/** How much a node matters just now; nodes that matter more are drawn over the others. */
export const DIM = 0;
export const PLAIN = 1;
export const RAISED = 2;
export const ON_WAY = 3;
export const CHOSEN = 4;

export type Side = "left" | "right";

export interface NodeAttributes {
  [name: string]: unknown;
  x: number;
  y: number;
  index: number;
  size: number;
  color?: string;
  type?: string;
  label?: string | null;
  forceLabel?: boolean;
  zIndex?: number;
  highlighted?: boolean;
  side?: Side;
  borderColor?: string;
  gapColor?: string;
}

export class NodePaint {
  readonly shade: Uint8Array;
  /** The nodes whose names are written, and on which side. */
  readonly named = new Map<number, Side>();
  hovered: number | null = null;
  classes: number[];
  private readonly labelled: Uint8Array;
  private readonly base: number;
  private readonly scale: number;
  private bright: string[] = [];
  private faint: string[] = [];
  private ink = "#000000";
  private paper = "#ffffff";
  private accent = "#000000";

  /** `room` is the smaller side of the stage in pixels. */
  constructor(
    private readonly data: GraphData,
    room: number,
  ) {
    this.classes = data.predicted;
    this.shade = new Uint8Array(data.ids.length).fill(PLAIN);
    this.labelled = new Uint8Array(data.ids.length);
    for (const node of data.labelled) this.labelled[node] = 1;
    this.scale = Math.min(1, Math.max(0.65, Math.sqrt(room / 560)));
    this.base = this.scale * baseSize(data.ids.length);
  }

  /** The last colour is that of nodes whose class is unknown. */
  restyle(theme: Theme): void {
    const colours = [...this.data.colours.map(fromHex), mix(theme.muted, theme.paper, 0.3)];
    this.bright = colours.map(hex);
    this.faint = colours.map((colour) => hex(mix(colour, theme.paper, 0.85)));
    this.ink = hex(theme.ink);
    this.paper = hex(theme.paper);
    this.accent = hex(theme.highway);
  }

  size(node: number): number {
    const size = this.base * (0.55 + (0.9 * this.data.confidence[node]) / 100);
    return this.labelled[node] ? Math.max(5 * this.scale, 1.6 * size) : size;
  }

  /** No node is larger than this. */
  get largest(): number {
    return Math.max(5, 2.4 * this.base);
  }

  /** Sigma hands over a copy of the node's attributes, which may therefore be changed in place. */
  readonly reduce = (_key: string, node: NodeAttributes): NodeAttributes => {
    const { index } = node;
    const shade = this.shade[index];
    const label = this.classes[index] < 0 ? this.bright.length - 1 : this.classes[index];
    node.color = (shade === DIM ? this.faint : this.bright)[label];
    node.zIndex = shade;
    if (shade === DIM) {
      node.size = Math.min(node.size, 0.8 * this.base);
      return node;
    }
    if (shade > PLAIN) this.stress(node, shade);
    if (this.labelled[index] || shade === CHOSEN) this.ring(node, shade);
    return node;
  };

  private stress(node: NodeAttributes, shade: number): void {
    node.highlighted = true;
    if (shade > RAISED) node.size = Math.max(node.size, shade === CHOSEN ? 7 : 4);
    node.side = this.named.get(node.index);
    if (!node.side) return;
    node.label = String(this.data.ids[node.index]);
    node.forceLabel = true;
  }

  private ring(node: NodeAttributes, shade: number): void {
    node.type = "ring";
    node.borderColor = shade === CHOSEN && !this.labelled[node.index] ? this.accent : this.ink;
    node.gapColor = this.paper;
  }
}

/** Small graphs can afford large nodes: about 6 pixels for 100 of them, 3 for 3,000 and 1 for 100,000. */
function baseSize(nodes: number): number {
  return Math.min(6, Math.max(1.3, 50 * Math.max(1, nodes) ** -0.35));
}
