/** The legend: every class with its colour and number of nodes; a click on one dims the others. */

import type { GraphData } from "./data";
import { dot, make } from "./dom";
import { classCounts, type View } from "./filter";
import { number } from "./words";

export class Legend {
  readonly element = make("section", { className: "hv-legend", "aria-label": "Classes" });

  constructor(
    private readonly data: GraphData,
    private readonly pick: (label: number | null) => void,
  ) {}

  show(view: View): void {
    const counts = classCounts(this.data, view.colourBy);
    const rows = this.data.classes.map((name, label) => this.row(name, label, counts[label], view));
    const unknown = counts[this.data.classes.length];
    if (unknown) rows.push(this.row("unknown", -1, unknown, view));
    const title = view.colourBy === "truth" ? "True classes" : "Predicted classes";
    const focused = this.focused();
    this.element.replaceChildren(make("h3", {}, title), make("ul", {}, ...rows), key());
    if (focused) this.element.querySelector<HTMLElement>(`[data-label="${focused}"]`)?.focus();
  }

  /** A redraw must not throw a keyboard user out of the list. */
  private focused(): string | undefined {
    const active = document.activeElement;
    return active instanceof HTMLElement && this.element.contains(active) ? active.dataset.label : undefined;
  }

  private row(name: string, label: number, count: number, view: View): HTMLElement {
    const picked = view.only === label;
    const colour = label < 0 ? "var(--hv-unknown)" : this.data.colours[label];
    const properties = { type: "button", "aria-pressed": String(picked), "data-label": label, title: name };
    const onclick = () => this.pick(picked ? null : label);
    const parts = [dot(colour), make("span", {}, name), make("span", { className: "hv-count" }, number(count))];
    const button = make("button", { ...properties, onclick }, ...parts);
    if (view.only !== null && !picked) button.classList.add("hv-faded");
    return make("li", {}, button);
  }
}

function key(): HTMLElement {
  const labelled = make("span", {}, dot("var(--hv-muted)", true), "labelled");
  const size = make("span", {}, dot("var(--hv-muted)"), "larger = more confident");
  size.firstElementChild!.classList.add("hv-small");
  return make("p", { className: "hv-key" }, labelled, size);
}
