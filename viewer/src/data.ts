/** The graph document embedded in the page: its format (one array per column), parsing and validation. */

export interface Highways {
  from: number[];
  to: number[];
  round: number[];
  /** 0 to 100. */
  confidence: number[];
  /** 0 to 100. */
  pair_score: number[];
  /** 1 if both ends have the same ground-truth class, 0 if not, -1 if unknown. */
  correct: number[];
}

export interface GraphData {
  classes: string[];
  /** One hex colour per class. */
  colours: string[];
  /** Node ids of the dataset. They may contain any text, so they never enter the page as markup. */
  ids: (string | number)[];
  x: number[];
  y: number[];
  /** Class predicted by HighwayGraph, or -1 before the first training. */
  predicted: number[];
  /** Class, or -1 if unknown. */
  ground_truth: number[];
  /** Class predicted by typical training, if it was run. */
  typical_predicted: number[] | null;
  /** 0 to 100. */
  confidence: number[];
  /** Hops to the nearest label on the original graph that the prediction used: 0 = labelled, -1 = unreachable. */
  hops: number[];
  /** Indices of the training nodes. */
  labelled_nodes: number[];
  /** Names of the parts of the split, and the part of every node as an index into them; null without a split. */
  split: { names: string[]; of: number[] } | null;
  /** Class predicted by the model of all labels, where `predicted` of labelled nodes is that of the fold that held them out. */
  refit_predicted: number[] | null;
  /** Number of the fold that held out each labelled node and predicted it, -1 for other nodes; null or missing without folds. */
  folds?: number[] | null;
  attributes: Record<string, (string | number)[]>;
  /** from, to, from, to, ...: every original edge once. */
  edges: number[];
  highways: Highways;
  /** Counts of the full graph if this is a sample of it. */
  sampled_from: { nodes: number; edges: number; highways: number } | null;
  /** Hops from which on a node counts as remote. */
  remote_hops: number;
  /** Graph that predictions are made on: with highways, or the original one, so that highways take part in training only. */
  predicted_on: "highways" | "original";
  /** Index of the node that is selected first; null or missing to show the whole graph. */
  start?: number | null;
  /** Nodes of its exact shortest paths to a label of its predicted class, also where this is a sample; empty without one. */
  start_paths?: { original: number[]; augmented: number[] };
  /** Name of the answer, whose predictions these are, if several classifiers competed. */
  answer?: string;
}

/** The columns that change while a graph is labelled. */
export type GraphUpdate = Pick<
  GraphData,
  "classes" | "colours" | "predicted" | "ground_truth" | "confidence" | "hops" | "labelled_nodes"
>;

export function parseGraph(text: string): GraphData {
  const data = JSON.parse(text) as GraphData;
  check(data);
  return data;
}

/** Replace columns in place, because all components share the document; an invalid update changes nothing. */
export function updateGraph(data: GraphData, update: GraphUpdate): void {
  check({ ...data, ...update });
  Object.assign(data, update);
}

function check(data: GraphData): void {
  checkLengths(data);
  checkClasses(data);
  checkIndices(data);
}

function checkLengths(data: GraphData): void {
  const { x, y, predicted, ground_truth, typical_predicted, refit_predicted, folds, confidence, hops, highways } = data;
  const columns = { x, y, predicted, ground_truth, confidence, hops, ...data.attributes };
  checkLength(columns, data.ids.length, "nodes");
  if (typical_predicted) checkLength({ typical_predicted }, data.ids.length, "nodes");
  if (refit_predicted) checkLength({ refit_predicted }, data.ids.length, "nodes");
  if (folds) checkLength({ folds }, data.ids.length, "nodes");
  if (data.split) checkLength({ split: data.split.of }, data.ids.length, "nodes");
  checkLength({ ...highways }, highways.from.length, "highways");
  if (data.edges.length % 2) throw new Error("edges do not come in pairs");
}

function checkLength(columns: Record<string, unknown[]>, length: number, unit: string): void {
  for (const [name, column] of Object.entries(columns)) {
    if (column?.length !== length) throw new Error(`${name} has ${column?.length} values for ${length} ${unit}`);
  }
}

function checkClasses(data: GraphData): void {
  const count = data.classes.length;
  if (data.colours.length !== count) throw new Error(`${data.colours.length} colours for ${count} classes`);
  if (!data.colours.every((colour) => /^#[0-9a-f]{6}$/i.test(colour))) throw new Error("colours are not like #0072b2");
  checkRange(data.predicted, -1, count, "predicted");
  checkRange(data.ground_truth, -1, count, "ground_truth");
  if (data.typical_predicted) checkRange(data.typical_predicted, 0, count, "typical_predicted");
  if (data.refit_predicted) checkRange(data.refit_predicted, 0, count, "refit_predicted");
  if (data.split) checkRange(data.split.of, 0, data.split.names.length, "split");
}

function checkIndices(data: GraphData): void {
  const { labelled_nodes, edges, highways } = data;
  const start = [data.start ?? [], data.start_paths?.original ?? [], data.start_paths?.augmented ?? []].flat();
  const columns = { labelled_nodes, edges, from: highways.from, to: highways.to, start };
  for (const [name, column] of Object.entries(columns)) checkRange(column, 0, data.ids.length, name);
}

function checkRange(column: number[], low: number, high: number, name: string): void {
  const invalid = column.find((value) => !Number.isInteger(value) || value < low || value >= high);
  if (invalid !== undefined) throw new Error(`${name} contains ${invalid}, which is not in ${low} to ${high - 1}`);
}

/** All edges in one list: the original edges first, then the highways. */
export interface EdgeList {
  from: Int32Array;
  to: Int32Array;
  numOriginal: number;
}

export function allEdges(data: GraphData): EdgeList {
  const numOriginal = data.edges.length / 2;
  const from = new Int32Array(numOriginal + data.highways.from.length);
  const to = new Int32Array(from.length);
  for (let i = 0; i < numOriginal; i++) {
    from[i] = data.edges[2 * i];
    to[i] = data.edges[2 * i + 1];
  }
  from.set(data.highways.from, numOriginal);
  to.set(data.highways.to, numOriginal);
  return { from, to, numOriginal };
}

/** Return the original edges incident to a node. */
export function originalEdgesOf({ from, to, numOriginal }: EdgeList, node: number): number[] {
  const found: number[] = [];
  for (let edge = 0; edge < numOriginal; edge++) if (from[edge] === node || to[edge] === node) found.push(edge);
  return found;
}

/** Return the nodes that an original edge joins to a node. */
export const neighboursOf = (edges: EdgeList, node: number): number[] =>
  originalEdgesOf(edges, node).map((edge) => (edges.from[edge] === node ? edges.to[edge] : edges.from[edge]));
