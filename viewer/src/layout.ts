/** Node positions: the layout in the data, scaled to the unit square. */

import type { GraphData } from "./data";

export interface Point {
  x: number;
  y: number;
}

/** Scale the layout to the unit square. Sigma applies the same scaling, so edges and nodes stay aligned. */
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

export function extent(values: number[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}
