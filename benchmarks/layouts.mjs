/** Layouts of kept JavaScript libraries: reads a graph as JSON from stdin, writes positions and milliseconds of the CPU. */

import Graph from "graphology";
import { forceCenter, forceLink, forceManyBody, forceSimulation } from "d3-force";
import circlepack from "graphology-layout/circlepack.js";
import force from "graphology-layout-force";
import forceAtlas2 from "graphology-layout-forceatlas2";
import createGraph from "ngraph.graph";
import createLayout from "ngraph.forcelayout";

const STEPS = 300;
/** ngraph moves nodes less in a step, and expects wider distances. */
const SMALL_STEPS = 1000;
const SCALE = 10;
const SEED = 0;

/** A graphology graph with the positions to start from and the class of every node. */
function graphology({ x, y, classes, edges }) {
  const graph = new Graph({ type: "undirected" });
  x.forEach((_, i) => graph.addNode(i, { x: x[i], y: y[i], size: 1, group: classes[i] }));
  for (const [a, b] of edges) graph.mergeEdge(a, b);
  return graph;
}

const read = (graph) => graph.mapNodes((_, { x, y }) => [x, y]);
const settings = (graph) => ({ ...forceAtlas2.inferSettings(graph), barnesHutOptimize: true });

const LAYOUTS = {
  forceatlas2: (graph) => forceAtlas2.assign(graph, { iterations: STEPS, settings: settings(graph) }),
  force: (graph) => force.assign(graph, { maxIterations: STEPS }),
  circlepack: (graph) => circlepack.assign(graph, { hierarchyAttributes: ["group"] }),
};

function d3({ x, y, edges }) {
  const nodes = x.map((_, i) => ({ x: x[i], y: y[i] }));
  const links = edges.map(([source, target]) => ({ source, target }));
  // The defaults of the library: 300 ticks, strengths by degree.
  const simulation = forceSimulation(nodes).force("charge", forceManyBody()).force("link", forceLink(links));
  simulation.force("center", forceCenter()).stop().tick(STEPS);
  return nodes.map(({ x: a, y: b }) => [a, b]);
}

function ngraph({ x, y, edges }) {
  const graph = createGraph();
  x.forEach((_, i) => graph.addNode(i));
  for (const [a, b] of edges) graph.addLink(a, b);
  const layout = createLayout(graph);
  x.forEach((_, i) => layout.setNodePosition(i, SCALE * x[i], SCALE * y[i]));
  for (let step = 0; step < SMALL_STEPS; step++) layout.step();
  return x.map((_, i) => [layout.getNodePosition(i).x, layout.getNodePosition(i).y]);
}

let text = "";
for await (const part of process.stdin) text += part;
const data = JSON.parse(text);
const name = process.argv[2];
const prepared = name in LAYOUTS ? graphology(data) : null;
let state = SEED;
// Repeatable: d3 and graphology draw small displacements.
Math.random = () => ((state = (1664525 * state + 1013904223) % 4294967296) / 4294967296);
const before = process.cpuUsage();
const positions = prepared ? (LAYOUTS[name](prepared), read(prepared)) : { d3, ngraph }[name](data);
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ positions, milliseconds: (user + system) / 1000 }));
