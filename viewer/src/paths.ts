/** Shortest paths to the nearest label: breadth-first search over flat arrays, so that 100,000 nodes are no matter. */

import type { GraphData, Lines } from "./data";

/** Neighbours of node i are at start[i] to start[i + 1]; `line` says by which line. */
interface Adjacency {
  start: Int32Array;
  neighbour: Int32Array;
  line: Int32Array;
}

/** lines[i] joins nodes[i] and nodes[i + 1]. */
export interface Path {
  nodes: number[];
  lines: number[];
}

export interface Ways {
  /** The class whose labels are looked for. */
  goal: number;
  labelled: boolean;
  before: Path | null;
  after: Path | null;
}

export function adjacency(nodes: number, from: Int32Array, to: Int32Array): Adjacency {
  const start = new Int32Array(nodes + 1);
  for (let i = 0; i < from.length; i++) {
    start[from[i] + 1]++;
    start[to[i] + 1]++;
  }
  for (let i = 0; i < nodes; i++) start[i + 1] += start[i];
  const next = start.slice();
  const neighbour = new Int32Array(2 * from.length);
  const line = new Int32Array(2 * from.length);
  const put = (at: number, node: number, by: number) => {
    neighbour[at] = node;
    line[at] = by;
  };
  for (let i = 0; i < from.length; i++) {
    put(next[from[i]]++, to[i], i);
    put(next[to[i]]++, from[i], i);
  }
  return { start, neighbour, line };
}

export function shortestPath(graph: Adjacency, source: number, isGoal: (node: number) => boolean): Path | null {
  const nodes = graph.start.length - 1;
  const parent = new Int32Array(nodes).fill(-1);
  const by = new Int32Array(nodes);
  const queue = new Int32Array(nodes);
  let filled = 1;
  queue[0] = source;
  parent[source] = source;
  for (let head = 0; head < filled; head++) {
    const node = queue[head];
    if (isGoal(node)) return walkBack(node, parent, by);
    for (let at = graph.start[node]; at < graph.start[node + 1]; at++) {
      const other = graph.neighbour[at];
      if (parent[other] >= 0) continue;
      parent[other] = node;
      by[other] = graph.line[at];
      queue[filled++] = other;
    }
  }
  return null;
}

function walkBack(goal: number, parent: Int32Array, by: Int32Array): Path {
  const nodes = [goal];
  const lines: number[] = [];
  for (let node = goal; parent[node] !== node; node = parent[node]) {
    nodes.push(parent[node]);
    lines.push(by[node]);
  }
  return { nodes: nodes.reverse(), lines: lines.reverse() };
}

/** Prepares the search for a node's ways to the nearest label of its predicted class. */
export function wayFinder(data: GraphData, lines: Lines): (node: number) => Ways {
  const { from, to, edges } = lines;
  const original = adjacency(data.ids.length, from.subarray(0, edges), to.subarray(0, edges));
  const grown = adjacency(data.ids.length, from, to);
  const label = labels(data);
  return (node) => {
    const goal = data.predicted[node];
    const labelled = label[node] >= 0;
    const isGoal = (other: number) => (labelled ? other === node : label[other] === goal);
    const before = shortestPath(original, node, isGoal);
    const after = shortestPath(grown, node, isGoal);
    return { goal, labelled, before, after: isShorter(after, before) ? after : before };
  };
}

/** A way of the same length by highways is no gain, and should not be told as one. */
function isShorter(path: Path | null, than: Path | null): boolean {
  return path !== null && (than === null || path.lines.length < than.lines.length);
}

function labels(data: GraphData): Int32Array {
  const label = new Int32Array(data.ids.length).fill(-1);
  for (const node of data.labelled) label[node] = data.truth[node] >= 0 ? data.truth[node] : data.predicted[node];
  return label;
}
