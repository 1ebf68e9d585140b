/** Visibility controls of the edges: highways by round, all or none of them, and the original edges. */

import { checkbox, type Checkbox, type OnChange } from "./controls";
import type { GraphData } from "./data";
import { make } from "./dom";
import { highwayRounds } from "./filter";

export function edgeControls(data: GraphData, onChange: OnChange): HTMLElement {
  const original = checkbox("Original edges", data.edges.length / 2, true, (on) => onChange({ showEdges: on }));
  original.label.classList.add("hv-original-edges");
  const parts = [...highwayControls(data, onChange), original.label];
  return make("section", { className: "hv-edge-controls", "aria-label": "Edges" }, ...parts);
}

function highwayControls(data: GraphData, onChange: OnChange): HTMLElement[] {
  const title = make("h3", {}, "Highways");
  const rounds = highwayRounds(data);
  if (!rounds.length) return [title, make("p", { className: "hv-hint" }, "No highways were added.")];
  const checkboxes = new Map<number, Checkbox>();
  const update = () => onChange({ rounds: new Set(rounds.filter((round) => checkboxes.get(round)!.input.checked)) });
  for (const round of rounds) {
    const count = data.highways.round.filter((other) => other === round).length;
    checkboxes.set(round, checkbox(`Round ${round}`, count, true, update));
  }
  const setAll = (text: string, on: boolean) => {
    const onclick = () => {
      for (const { input } of checkboxes.values()) input.checked = on;
      update();
    };
    return make("button", { type: "button", "aria-label": `${text} rounds`, onclick }, text);
  };
  const header = make("div", { className: "hv-header" }, title, setAll("All", true), setAll("None", false));
  return [header, ...[...checkboxes.values()].map(({ label }) => label)];
}
