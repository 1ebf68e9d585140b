/** Canvas layer of the selected node's paths, drawn over the nodes so that no node interrupts a line. */

import type { EdgeList } from "./data";
import type { Point } from "./layout";
import { hex, type Rgb, type Theme } from "./theme";

/** Nodes and edges highlighted for a selected node. Edges are indices into the list of all edges. */
export interface Highlight {
  node: number;
  originalPath: number[];
  augmentedPath: number[];
  /** The highways incident to the node. */
  incident: number[];
  /** The original edges incident to the node. */
  adjacent: number[];
  /** Whether the other nodes keep their colours instead of being dimmed. */
  keepsOthers: boolean;
  /** The nodes whose ids are drawn: the selected one and the labelled ends of its paths. */
  ends: number[];
}

/** Draw the original path thin and on top of the other, so that both are visible where they overlap. */
export function drawPaths(
  context: CanvasRenderingContext2D,
  { incident, adjacent, augmentedPath, originalPath }: Highlight,
  edges: EdgeList,
  theme: Theme,
  positionOf: (node: number) => Point,
): void {
  const stroke = (members: number[], colour: Rgb, alpha: number, width: number) => {
    context.beginPath();
    for (const edge of members) {
      const [from, to] = [positionOf(edges.from[edge]), positionOf(edges.to[edge])];
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
    }
    context.lineCap = "round";
    context.globalAlpha = alpha;
    context.lineWidth = width;
    context.strokeStyle = hex(colour);
    context.stroke();
  };
  const highways = augmentedPath.filter((edge) => edge >= edges.numOriginal);
  stroke(incident, theme.highway, 0.55, 1.2);
  stroke(adjacent, theme.text, 0.45, 1);
  stroke([...originalPath, ...augmentedPath], theme.background, 0.8, 7);
  if (highways.length) stroke(augmentedPath, theme.highway, 0.5, 4);
  stroke(highways, theme.highway, 1, 5);
  stroke(originalPath, theme.text, 1, 1.8);
  context.globalAlpha = 1;
}
