/** Placement of node ids beside their nodes, so that no id covers another one and none leaves the stage. */

import type { Side } from "./node_style";

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A node with the size of its id, in pixels. */
export interface Label {
  x: number;
  y: number;
  /** Radius of the node. */
  radius: number;
  width: number;
  height: number;
  side: Side;
}

const GAP = 4;

/** Return the first box that is free and on the stage: the preferred side, the other one, above, below, further below. */
export function placeLabel(label: Label, taken: Box[], stage: { width: number; height: number }): Box {
  const candidates = boxesAround(label);
  const isOnStage = (box: Box) =>
    box.left >= 0 && box.top >= 0 && box.right <= stage.width && box.bottom <= stage.height;
  const isFree = (box: Box) => taken.every((other) => !overlap(box, other));
  return candidates.find((box) => isFree(box) && isOnStage(box)) ?? candidates.find(isFree) ?? candidates[0];
}

/** Return the side of a node that fewer lines lead to, from the x coordinates of their other ends. */
export function freeSide(x: number, others: number[]): Side {
  const right = others.filter((other) => other > x).length;
  return 2 * right > others.length ? "left" : "right";
}

export function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function boxesAround({ x, y, radius, width, height, side }: Label): Box[] {
  const offset = radius + GAP;
  const box = (left: number, top: number): Box => ({ left, top, right: left + width, bottom: top + height });
  const beside = { left: box(x - offset - width, y - height / 2), right: box(x + offset, y - height / 2) };
  const stacked = [1, 2, 3].flatMap((level) => [
    box(x - width / 2, y - offset - level * height),
    box(x - width / 2, y + offset + (level - 1) * height),
  ]);
  return [beside[side], beside[side === "left" ? "right" : "left"], ...stacked];
}
