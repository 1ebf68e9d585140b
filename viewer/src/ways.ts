/** The ways of the chosen node, drawn over all other nodes so that none of them interrupts a line. */

import type { Lines } from "./data";
import type { Point } from "./scene";
import { hex, type Rgb, type Theme } from "./theme";

/** What stands out because a node is chosen: lines by number, highways counted on from the original edges. */
export interface Highlight {
  node: number;
  before: number[];
  after: number[];
  /** The node's own highways. */
  own: number[];
  /** The nodes to name: the chosen one and the labels that its ways lead to. */
  ends: number[];
}

/** The way without highways is thin and on top of the other, so that both can be seen where they run together. */
export function drawWays(
  context: CanvasRenderingContext2D,
  { own, after, before }: Highlight,
  lines: Lines,
  theme: Theme,
  positionOf: (node: number) => Point,
): void {
  const stroke = (members: number[], colour: Rgb, alpha: number, width: number) => {
    context.beginPath();
    for (const line of members) {
      const [from, to] = [positionOf(lines.from[line]), positionOf(lines.to[line])];
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
    }
    context.lineCap = "round";
    context.globalAlpha = alpha;
    context.lineWidth = width;
    context.strokeStyle = hex(colour);
    context.stroke();
  };
  const highways = after.filter((line) => line >= lines.edges);
  stroke(own, theme.highway, 0.55, 1.2);
  stroke([...before, ...after], theme.paper, 0.8, 7);
  if (highways.length) stroke(after, theme.highway, 0.5, 4);
  stroke(highways, theme.highway, 1, 5);
  stroke(before, theme.ink, 1, 1.8);
  context.globalAlpha = 1;
}
