/** Canvas drawing over the nodes: ids of the ends of a highlighted path, and a ring around the hovered node. */

import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from "sigma/rendering";
import { truncate } from "./format";
import { placeLabel, type Box } from "./label_placement";
import type { NodeAttributes, NodeStyle } from "./node_style";
import { hex, type Theme } from "./theme";

/** Draw ids beside their nodes; `taken` holds the boxes of the ids that were drawn in this frame. */
export function drawNodeId(theme: Theme, taken: Box[]): NodeLabelDrawingFunction<NodeAttributes> {
  return (context, node, settings) => {
    if (!node.label) return;
    const text = truncate(node.label, 24);
    context.textAlign = "left";
    context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
    const { width } = context.measureText(text);
    const { clientWidth, clientHeight } = context.canvas;
    const label = { x: node.x, y: node.y, radius: node.size, width, height: settings.labelSize + 4 };
    const stage = { width: clientWidth, height: clientHeight };
    const box = placeLabel({ ...label, side: node.side ?? "right" }, taken, stage);
    taken.push(box);
    const [x, y] = [box.left, (box.top + box.bottom) / 2 + settings.labelSize / 3];
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
