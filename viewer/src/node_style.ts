/** Node styling: colour by class, size by confidence, a ring for training nodes. */

import type { GraphData } from "./data";
import { fromHex, hex, mix, type Theme } from "./theme";

/** Emphasis of a node; nodes with higher emphasis are drawn over the others. */
export const DIMMED = 0;
export const NORMAL = 1;
export const RAISED = 2;
export const ON_PATH = 3;
export const SELECTED = 4;

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

export class NodeStyle {
  readonly emphasis: Uint8Array;
  /** The nodes whose ids are drawn, and on which side. */
  readonly idSide = new Map<number, Side>();
  hovered: number | null = null;
  classes: number[];
  private readonly labelled: Uint8Array;
  private readonly baseSize: number;
  private readonly scale: number;
  private normalColours: string[] = [];
  private dimmedColours: string[] = [];
  private text = "#000000";
  private background = "#ffffff";
  private accent = "#000000";

  /** `stageSize` is the shorter side of the stage in pixels. */
  constructor(
    private readonly data: GraphData,
    stageSize: number,
  ) {
    this.classes = data.predicted;
    this.emphasis = new Uint8Array(data.ids.length).fill(NORMAL);
    this.labelled = new Uint8Array(data.ids.length);
    this.markLabelled();
    this.scale = Math.min(1, Math.max(0.65, Math.sqrt(stageSize / 560)));
    this.baseSize = this.scale * baseSize(data.ids.length);
  }

  /** Mark the training nodes of the document again, after it has changed. */
  markLabelled(): void {
    this.labelled.fill(0);
    for (const node of this.data.labelled_nodes) this.labelled[node] = 1;
  }

  /** The last colour is that of nodes whose class is unknown. */
  setTheme(theme: Theme): void {
    const colours = [...this.data.colours.map(fromHex), mix(theme.muted, theme.background, 0.3)];
    this.normalColours = colours.map(hex);
    this.dimmedColours = colours.map((colour) => hex(mix(colour, theme.background, 0.85)));
    this.text = hex(theme.text);
    this.background = hex(theme.background);
    this.accent = hex(theme.highway);
  }

  size(node: number): number {
    const size = this.baseSize * (0.55 + (0.9 * this.data.confidence[node]) / 100);
    return this.labelled[node] ? Math.max(5 * this.scale, 1.6 * size) : size;
  }

  /** Upper bound of `size`. */
  get maxSize(): number {
    return Math.max(5, 2.4 * this.baseSize);
  }

  /** Sigma's node reducer. Sigma passes a copy of the attributes, so they may be changed in place. */
  readonly reduce = (_key: string, node: NodeAttributes): NodeAttributes => {
    const { index } = node;
    const emphasis = this.emphasis[index];
    const label = this.classes[index] < 0 ? this.normalColours.length - 1 : this.classes[index];
    node.color = (emphasis === DIMMED ? this.dimmedColours : this.normalColours)[label];
    node.zIndex = emphasis;
    if (emphasis === DIMMED) {
      node.size = Math.min(node.size, 0.8 * this.baseSize);
      return node;
    }
    if (emphasis > NORMAL) this.emphasise(node, emphasis);
    if (this.labelled[index] || emphasis === SELECTED) this.addRing(node, emphasis);
    return node;
  };

  private emphasise(node: NodeAttributes, emphasis: number): void {
    node.highlighted = true;
    if (emphasis > RAISED) node.size = Math.max(node.size, emphasis === SELECTED ? 7 : 4);
    node.side = this.idSide.get(node.index);
    if (!node.side) return;
    node.label = String(this.data.ids[node.index]);
    node.forceLabel = true;
  }

  private addRing(node: NodeAttributes, emphasis: number): void {
    node.type = "ring";
    node.borderColor = emphasis === SELECTED && !this.labelled[node.index] ? this.accent : this.text;
    node.gapColor = this.background;
  }
}

/** Smaller graphs get larger nodes: about 6 pixels for 100 nodes, 3 for 3,000 and 1 for 100,000. */
function baseSize(nodes: number): number {
  return Math.min(6, Math.max(1.3, 50 * Math.max(1, nodes) ** -0.35));
}
