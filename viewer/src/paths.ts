/** Shortest paths to the nearest label: breadth-first search on a CSR adjacency, fast enough for 100,000 nodes. */

import type { EdgeList, GraphData } from "./data";

/** CSR adjacency: neighbours of node i are at start[i] to start[i + 1], each with the index of its edge. */
interface Adjacency {
  start: Int32Array;
  neighbour: Int32Array;
  edge: Int32Array;
}

/** edges[i] joins nodes[i] and nodes[i + 1]; it is an index into the list of all edges. */
export interface Path {
  nodes: number[];
  edges: number[];
}

/** Shortest paths of a node to the nearest label of its predicted class, or of any class before the first training. */
export interface LabelPaths {
  targetClass: number;
  /** Whether the prediction used the node's own label: its path is empty. */
  labelled: boolean;
  /** Whether a fold predicted the node without its label: paths lead to labels of other folds, over the original edges. */
  heldOut: boolean;
  /** On the original graph. */
  original: Path | null;
  /** On the graph with highways, if that is shorter; otherwise the original path. */
  augmented: Path | null;
  /** Whether no path of the whole graph is shorter: not known within a sample, except for the first node. */
  exact: boolean;
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
  const edge = new Int32Array(2 * from.length);
  const set = (at: number, node: number, by: number) => {
    neighbour[at] = node;
    edge[at] = by;
  };
  for (let i = 0; i < from.length; i++) {
    set(next[from[i]]++, to[i], i);
    set(next[to[i]]++, from[i], i);
  }
  return { start, neighbour, edge };
}

export function shortestPath(graph: Adjacency, source: number, isTarget: (node: number) => boolean): Path | null {
  const nodes = graph.start.length - 1;
  const parent = new Int32Array(nodes).fill(-1);
  const parentEdge = new Int32Array(nodes);
  const queue = new Int32Array(nodes);
  let queued = 1;
  queue[0] = source;
  parent[source] = source;
  for (let head = 0; head < queued; head++) {
    const node = queue[head];
    if (isTarget(node)) return backtrack(node, parent, parentEdge);
    for (let at = graph.start[node]; at < graph.start[node + 1]; at++) {
      const other = graph.neighbour[at];
      if (parent[other] >= 0) continue;
      parent[other] = node;
      parentEdge[other] = graph.edge[at];
      queue[queued++] = other;
    }
  }
  return null;
}

function backtrack(target: number, parent: Int32Array, parentEdge: Int32Array): Path {
  const nodes = [target];
  const edges: number[] = [];
  for (let node = target; parent[node] !== node; node = parent[node]) {
    nodes.push(parent[node]);
    edges.push(parentEdge[node]);
  }
  return { nodes: nodes.reverse(), edges: edges.reverse() };
}

/** Return the path through these nodes; null where there are none or no edge joins two of them. */
function pathThrough(graph: Adjacency, nodes: number[]): Path | null {
  const edges: number[] = [];
  for (let i = 0; i + 1 < nodes.length; i++) {
    let at = graph.start[nodes[i]];
    while (at < graph.start[nodes[i] + 1] && graph.neighbour[at] !== nodes[i + 1]) at++;
    if (at === graph.start[nodes[i] + 1]) return null;
    edges.push(graph.edge[at]);
  }
  return nodes.length ? { nodes, edges } : null;
}

/** Build both adjacencies and return a function that computes the paths of a node. */
export function labelPathFinder(data: GraphData, { from, to, numOriginal }: EdgeList): (node: number) => LabelPaths {
  const originalGraph = adjacency(data.ids.length, from.subarray(0, numOriginal), to.subarray(0, numOriginal));
  const augmentedGraph = adjacency(data.ids.length, from, to);
  const labels = trainingLabels(data);
  return (node) => {
    const targetClass = data.predicted[node];
    const fold = data.folds?.[node] ?? -1;
    const heldOut = labels[node] >= 0 && fold >= 0;
    const labelled = labels[node] >= 0 && !heldOut;
    const isLabel = (other: number) =>
      (targetClass < 0 ? labels[other] >= 0 : labels[other] === targetClass) && !(heldOut && data.folds![other] === fold);
    const isTarget = (other: number) => (labelled ? other === node : isLabel(other));
    const given = node === data.start && !labelled ? data.start_paths : undefined;
    const original = given ? pathThrough(originalGraph, given.original) : shortestPath(originalGraph, node, isTarget);
    const exact = given !== undefined || !data.sampled_from;
    // The highways are those of the model of all labels, which did not predict this node.
    if (heldOut) return { targetClass, labelled, heldOut, original, augmented: original, exact };
    const shortest = given ? pathThrough(augmentedGraph, given.augmented) : shortestPath(augmentedGraph, node, isTarget);
    const augmented = isShorter(shortest, original) ? shortest : original;
    return { targetClass, labelled, heldOut, original, augmented, exact };
  };
}

/** A path of equal length over highways is no improvement, so the original path is kept. */
function isShorter(path: Path | null, than: Path | null): boolean {
  return path !== null && (than === null || path.edges.length < than.edges.length);
}

/** Return the class of every training node, and -1 for the other nodes. */
function trainingLabels(data: GraphData): Int32Array {
  const labels = new Int32Array(data.ids.length).fill(-1);
  for (const node of data.labelled_nodes) {
    labels[node] = data.ground_truth[node] >= 0 ? data.ground_truth[node] : data.predicted[node];
  }
  return labels;
}
