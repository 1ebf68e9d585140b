/** The legend: every class with its colour and number of nodes; a click filters by class. */

import type { GraphData } from "./data";
import { dot, make } from "./dom";
import { classCounts, type ViewOptions } from "./filter";
import { formatNumber } from "./format";

export class Legend {
  readonly element = make("section", { className: "hv-legend", "aria-label": "Classes" });

  constructor(
    private readonly data: GraphData,
    private readonly onSelect: (label: number | null) => void,
  ) {}

  show(view: ViewOptions): void {
    const counts = classCounts(this.data, view.colourBy);
    const rows = this.data.classes.map((name, label) => this.row(name, label, counts[label], view));
    const unknown = counts[this.data.classes.length];
    if (unknown) rows.push(this.row("unknown", -1, unknown, view));
    const title = view.colourBy === "ground_truth" ? "Ground-truth classes" : "Predicted classes";
    const focused = this.focusedLabel();
    this.element.replaceChildren(make("h3", {}, title), make("ul", {}, ...rows), symbolKey());
    if (focused) this.element.querySelector<HTMLElement>(`[data-label="${focused}"]`)?.focus();
  }

  /** Rebuilding the list removes the focused button, so keyboard focus has to be restored. */
  private focusedLabel(): string | undefined {
    const active = document.activeElement;
    return active instanceof HTMLElement && this.element.contains(active) ? active.dataset.label : undefined;
  }

  private row(name: string, label: number, count: number, view: ViewOptions): HTMLElement {
    const selected = view.onlyClass === label;
    const colour = label < 0 ? "var(--hv-unknown)" : this.data.colours[label];
    const properties = { type: "button", "aria-pressed": String(selected), "data-label": label, title: name };
    const onclick = () => this.onSelect(selected ? null : label);
    const parts = [dot(colour), make("span", {}, name), make("span", { className: "hv-count" }, formatNumber(count))];
    const button = make("button", { ...properties, onclick }, ...parts);
    if (view.onlyClass !== null && !selected) button.classList.add("hv-dimmed");
    return make("li", {}, button);
  }
}

function symbolKey(): HTMLElement {
  const labelled = make("span", {}, dot("var(--hv-muted)", true), "training node");
  const size = make("span", {}, dot("var(--hv-muted)"), "larger = more confident");
  size.firstElementChild!.classList.add("hv-small");
  return make("p", { className: "hv-key" }, labelled, size);
}
