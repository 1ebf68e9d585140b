/** Text and marks over the nodes: the names of those on the chosen way, and a ring around the one under the pointer. */

import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from "sigma/rendering";
import type { NodeAttributes, NodePaint } from "./nodes";
import { hex, type Theme } from "./theme";
import { shorten } from "./words";

export function drawLabel(theme: Theme): NodeLabelDrawingFunction<NodeAttributes> {
  return (context, node, settings) => {
    if (!node.label) return;
    const text = shorten(node.label, 24);
    const away = node.size + 4;
    const [x, y] = [node.side === "left" ? node.x - away : node.x + away, node.y + settings.labelSize / 3];
    context.textAlign = node.side === "left" ? "right" : "left";
    context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = hex(theme.paper);
    context.strokeText(text, x, y);
    context.fillStyle = hex(theme.ink);
    context.fillText(text, x, y);
  };
}

/** Sigma goes on calling this when the pointer has left the picture, so what is hovered is asked elsewhere. */
export function drawHover(paint: NodePaint): NodeHoverDrawingFunction<NodeAttributes> {
  return (context, node, settings) => {
    if (Number(node.key) !== paint.hovered) return;
    context.beginPath();
    context.arc(node.x, node.y, node.size + 3, 0, 2 * Math.PI);
    context.lineWidth = 1.5;
    context.strokeStyle = settings.labelColor.color ?? "#808080";
    context.stroke();
  };
}
