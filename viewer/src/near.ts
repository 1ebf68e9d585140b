/** Finds the node nearest to a point by a grid, so that small nodes too can be hit, and by a finger. */

export class NodeGrid {
  private readonly side: number;
  private readonly start: Int32Array;
  private readonly member: Int32Array;

  /** Takes x, y, x, y, ... within the unit square. */
  constructor(private readonly positions: Float32Array) {
    const nodes = positions.length / 2;
    this.side = Math.max(1, Math.ceil(Math.sqrt(nodes / 2)));
    this.start = new Int32Array(this.side ** 2 + 1);
    this.member = new Int32Array(nodes);
    for (let node = 0; node < nodes; node++) this.start[this.cellOf(node) + 1]++;
    for (let cell = 0; cell < this.side ** 2; cell++) this.start[cell + 1] += this.start[cell];
    const next = this.start.slice();
    for (let node = 0; node < nodes; node++) this.member[next[this.cellOf(node)]++] = node;
  }

  /** Returns the node whose reach (at most `most`) the point is in, or deepest in; null if there is none. */
  nearest(x: number, y: number, reachOf: (node: number) => number, most: number): number | null {
    let best: number | null = null;
    let deepest = 0;
    for (let row = this.cell(y - most); row <= this.cell(y + most); row++) {
      const from = this.start[row * this.side + this.cell(x - most)];
      const to = this.start[row * this.side + this.cell(x + most) + 1];
      for (let at = from; at < to; at++) {
        const node = this.member[at];
        const depth = reachOf(node) - Math.hypot(this.positions[2 * node] - x, this.positions[2 * node + 1] - y);
        if (depth > deepest) [best, deepest] = [node, depth];
      }
    }
    return best;
  }

  private cell(value: number): number {
    return Math.min(this.side - 1, Math.max(0, Math.floor(value * this.side)));
  }

  private cellOf(node: number): number {
    return this.cell(this.positions[2 * node + 1]) * this.side + this.cell(this.positions[2 * node]);
  }
}
