/** Where nodes are: the layout that came with the data, scaled for the camera. */

import type { GraphData } from "./data";

/** The layout in the unit square, which is where sigma would put it too: then lines and nodes agree. */
export function unitPositions({ x, y }: GraphData): Float32Array {
  const [left, right] = extent(x);
  const [bottom, top] = extent(y);
  const scale = 1 / (Math.max(right - left, top - bottom) || 1);
  const positions = new Float32Array(2 * x.length);
  for (let i = 0; i < x.length; i++) {
    positions[2 * i] = 0.5 + (x[i] - (left + right) / 2) * scale;
    positions[2 * i + 1] = 0.5 + (y[i] - (bottom + top) / 2) * scale;
  }
  return positions;
}

function extent(values: number[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}
