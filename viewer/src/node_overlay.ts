/** Canvas drawing over the nodes: ids of the ends of a highlighted path, and a ring around the hovered node. */

import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from "sigma/rendering";
import { truncate } from "./format";
import type { NodeAttributes, NodeStyle } from "./node_style";
import { hex, type Theme } from "./theme";

export function drawNodeId(theme: Theme): NodeLabelDrawingFunction<NodeAttributes> {
  return (context, node, settings) => {
    if (!node.label) return;
    const text = truncate(node.label, 24);
    const offset = node.size + 4;
    const [x, y] = [node.side === "left" ? node.x - offset : node.x + offset, node.y + settings.labelSize / 3];
    context.textAlign = node.side === "left" ? "right" : "left";
    context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = hex(theme.background);
    context.strokeText(text, x, y);
    context.fillStyle = hex(theme.text);
    context.fillText(text, x, y);
  };
}

/** Sigma keeps calling this after the pointer has left the canvas, so the hovered node is read from the style. */
export function drawHoverRing(style: NodeStyle): NodeHoverDrawingFunction<NodeAttributes> {
  return (context, node, settings) => {
    if (Number(node.key) !== style.hovered) return;
    context.beginPath();
    context.arc(node.x, node.y, node.size + 3, 0, 2 * Math.PI);
    context.lineWidth = 1.5;
    context.strokeStyle = settings.labelColor.color ?? "#808080";
    context.stroke();
  };
}
