/** Search box: a combobox that finds nodes by a part of their id. */

import { make } from "./dom";
import { truncate } from "./format";

export const MAX_RESULTS = 8;

/** Return the nodes whose lower-case id contains the text: exact matches first, then prefix matches, then the rest. */
export function findNodes(ids: string[], text: string, limit = MAX_RESULTS): number[] {
  const query = text.trim().toLowerCase();
  if (!query) return [];
  const ranks: number[][] = [[], [], []];
  for (let node = 0; node < ids.length; node++) {
    const at = ids[node].indexOf(query);
    if (at < 0) continue;
    const rank = ranks[at > 0 ? 2 : ids[node].length === query.length ? 0 : 1];
    if (rank.length < limit) rank.push(node);
  }
  return ranks.flat().slice(0, limit);
}

export class Search {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly list = make("ul", {
    className: "hv-results",
    id: "hv-results",
    role: "listbox",
    hidden: true,
    "aria-label": "Matching nodes",
  });
  private readonly lowerCaseIds: string[];
  private results: number[] = [];
  private active = -1;

  constructor(
    private readonly ids: (string | number)[],
    private readonly onSelect: (node: number) => void,
  ) {
    this.lowerCaseIds = ids.map((id) => String(id).toLowerCase());
    this.input = make("input", {
      type: "search",
      placeholder: "Find a node by id",
      autocomplete: "off",
      spellcheck: false,
      role: "combobox",
      "aria-label": "Find a node by id",
      "aria-autocomplete": "list",
      "aria-controls": "hv-results",
      "aria-expanded": "false",
      oninput: () => this.update(),
      onkeydown: (event: KeyboardEvent) => this.handleKey(event),
      onblur: () => this.close(),
      onfocus: () => this.update(),
    });
    this.element = make("div", { className: "hv-search" }, this.input, this.list);
  }

  private update(): void {
    this.results = findNodes(this.lowerCaseIds, this.input.value);
    const options = this.results.map((node, at) => this.option(node, at));
    this.list.replaceChildren(...options);
    this.list.hidden = !this.input.value.trim();
    if (!options.length)
      this.list.append(make("li", { className: "hv-no-results", role: "presentation" }, "No matching id"));
    this.input.setAttribute("aria-expanded", String(options.length > 0));
    this.activate(options.length ? 0 : -1);
  }

  private option(node: number, at: number): HTMLElement {
    const text = truncate(String(this.ids[node]), 60);
    // Keep the focus in the input: losing it would close the list before the click arrives.
    const onmousedown = (event: MouseEvent) => event.preventDefault();
    return make("li", { id: `hv-result-${at}`, role: "option", onmousedown, onclick: () => this.accept(at) }, text);
  }

  private activate(at: number): void {
    this.active = at;
    [...this.list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    if (at < 0) this.input.removeAttribute("aria-activedescendant");
    else this.input.setAttribute("aria-activedescendant", `hv-result-${at}`);
  }

  private handleKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") this.accept(this.active);
    else if (event.key === "Escape" && !this.list.hidden) this.close();
    else if (step && this.results.length)
      this.activate((this.active + step + this.results.length) % this.results.length);
    else return;
    event.preventDefault();
  }

  private accept(at: number): void {
    const node = this.results[at];
    if (node === undefined) return;
    this.input.value = String(this.ids[node]);
    this.close();
    this.onSelect(node);
  }

  private close(): void {
    this.list.hidden = true;
    this.results = [];
    this.input.setAttribute("aria-expanded", "false");
    this.activate(-1);
  }
}
