/** Spatial index of the nodes: a uniform grid for hit testing, with a minimum hit radius for small nodes. */

export class NodeIndex {
  /** Cells per row and column. */
  private readonly side: number;
  /** Nodes of cell i are at cellStart[i] to cellStart[i + 1] of `nodes`. */
  private readonly cellStart: Int32Array;
  private readonly nodes: Int32Array;

  /** `positions` is x, y, x, y, ... within the unit square. */
  constructor(private readonly positions: Float32Array) {
    const count = positions.length / 2;
    this.side = Math.max(1, Math.ceil(Math.sqrt(count / 2)));
    this.cellStart = new Int32Array(this.side ** 2 + 1);
    this.nodes = new Int32Array(count);
    for (let node = 0; node < count; node++) this.cellStart[this.cellOf(node) + 1]++;
    for (let cell = 0; cell < this.side ** 2; cell++) this.cellStart[cell + 1] += this.cellStart[cell];
    const next = this.cellStart.slice();
    for (let node = 0; node < count; node++) this.nodes[next[this.cellOf(node)]++] = node;
  }

  /**
   * Return the node hit by a point, or null if there is none.
   *
   * A node is hit within `hitRadius(node)`, which is at most `maxRadius`. Of several, the one whose circle the point is
   * deepest in is returned.
   */
  hit(x: number, y: number, hitRadius: (node: number) => number, maxRadius: number): number | null {
    let best: number | null = null;
    let maxDepth = 0;
    for (let row = this.cell(y - maxRadius); row <= this.cell(y + maxRadius); row++) {
      const start = this.cellStart[row * this.side + this.cell(x - maxRadius)];
      const end = this.cellStart[row * this.side + this.cell(x + maxRadius) + 1];
      for (let i = start; i < end; i++) {
        const node = this.nodes[i];
        const depth = hitRadius(node) - Math.hypot(this.positions[2 * node] - x, this.positions[2 * node + 1] - y);
        if (depth > maxDepth) [best, maxDepth] = [node, depth];
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
