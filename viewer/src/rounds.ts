/** The controls of the lines: highways by round, all or none of them, and the original edges. */

import { box, type Box, type Change } from "./controls";
import type { GraphData } from "./data";
import { make } from "./dom";
import { roundsOf } from "./filter";

export function lineControls(data: GraphData, change: Change): HTMLElement {
  const edges = box("Original edges", data.edges.length / 2, true, (on) => change({ edges: on }));
  edges.label.classList.add("hv-edges");
  return make("section", { className: "hv-lines", "aria-label": "Lines" }, ...highways(data, change), edges.label);
}

function highways(data: GraphData, change: Change): HTMLElement[] {
  const title = make("h3", {}, "Highways");
  const rounds = roundsOf(data);
  if (!rounds.length) return [title, make("p", { className: "hv-hint" }, "None were added.")];
  const boxes = new Map<number, Box>();
  const tell = () => change({ rounds: new Set(rounds.filter((round) => boxes.get(round)!.input.checked)) });
  for (const round of rounds) {
    const total = data.highways.round.filter((other) => other === round).length;
    boxes.set(round, box(`Round ${round}`, total, true, tell));
  }
  const all = (text: string, on: boolean) => {
    const onclick = () => {
      for (const { input } of boxes.values()) input.checked = on;
      tell();
    };
    return make("button", { type: "button", "aria-label": `${text} rounds`, onclick }, text);
  };
  const head = make("div", { className: "hv-head" }, title, all("All", true), all("None", false));
  return [head, ...[...boxes.values()].map(({ label }) => label)];
}
