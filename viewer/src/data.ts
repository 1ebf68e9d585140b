/** The graph as the page holds it, in columns: what it is, how it is read and what is checked. */

export interface Highways {
  from: number[];
  to: number[];
  round: number[];
  /** 0 to 100. */
  confidence: number[];
  /** 0 to 100. */
  score: number[];
  /** 1, 0, or -1 where the truth is unknown. */
  right: number[];
}

export interface GraphData {
  classes: string[];
  /** One hex colour per class. */
  colours: string[];
  /** The user's own ids: any text, so never markup. */
  ids: (string | number)[];
  x: number[];
  y: number[];
  predicted: number[];
  /** Class, or -1 if unknown. */
  truth: number[];
  /** What typical training predicted. */
  before: number[] | null;
  /** 0 to 100. */
  confidence: number[];
  /** Hops to the nearest label on the original graph: 0 = labelled, -1 = unreachable. */
  hops: number[];
  labelled: number[];
  /** The test nodes. */
  held: number[];
  attributes: Record<string, (string | number)[]>;
  /** from, to, from, to, ...: every original edge once. */
  edges: number[];
  highways: Highways;
  /** The totals, when only a part of the graph is here. */
  sampled: { nodes: number; edges: number; highways: number } | null;
  /** From how many hops on a node counts as remote. */
  remote: number;
}

export function readGraph(text: string): GraphData {
  const data = JSON.parse(text) as GraphData;
  checkLengths(data);
  checkClasses(data);
  checkIndices(data);
  return data;
}

function checkLengths(data: GraphData): void {
  const { x, y, predicted, truth, confidence, hops, attributes, highways } = data;
  const columns = { x, y, predicted, truth, confidence, hops, ...attributes };
  sameLength(data.before ? { ...columns, before: data.before } : columns, data.ids.length, "nodes");
  sameLength({ ...highways }, highways.from.length, "highways");
  if (data.edges.length % 2) throw new Error("edges do not come in pairs");
}

function sameLength(columns: Record<string, unknown[]>, length: number, what: string): void {
  for (const [name, column] of Object.entries(columns)) {
    if (column?.length !== length) throw new Error(`${name} has ${column?.length} values for ${length} ${what}`);
  }
}

function checkClasses(data: GraphData): void {
  const count = data.classes.length;
  if (data.colours.length !== count) throw new Error(`${data.colours.length} colours for ${count} classes`);
  if (!data.colours.every((colour) => /^#[0-9a-f]{6}$/i.test(colour))) throw new Error("colours are not like #0072b2");
  within(data.predicted, 0, count, "predicted");
  within(data.truth, -1, count, "truth");
  if (data.before) within(data.before, 0, count, "before");
}

function checkIndices(data: GraphData): void {
  const { labelled, held, edges, highways } = data;
  const columns = { labelled, held, edges, from: highways.from, to: highways.to };
  for (const [name, column] of Object.entries(columns)) within(column, 0, data.ids.length, name);
}

function within(column: number[], low: number, high: number, name: string): void {
  const bad = column.find((value) => !Number.isInteger(value) || value < low || value >= high);
  if (bad !== undefined) throw new Error(`${name} holds ${bad}, which is not in ${low} to ${high - 1}`);
}

/** All lines of the graph, the original edges first and the highways after them. */
export interface Lines {
  from: Int32Array;
  to: Int32Array;
  edges: number;
}

export function allLines(data: GraphData): Lines {
  const edges = data.edges.length / 2;
  const from = new Int32Array(edges + data.highways.from.length);
  const to = new Int32Array(from.length);
  for (let i = 0; i < edges; i++) {
    from[i] = data.edges[2 * i];
    to[i] = data.edges[2 * i + 1];
  }
  from.set(data.highways.from, edges);
  to.set(data.highways.to, edges);
  return { from, to, edges };
}
