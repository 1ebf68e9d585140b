/** The search box: finds nodes by a part of their id, for hand and keyboard. */

import { make } from "./dom";
import { shorten } from "./words";

export const MOST_RESULTS = 8;

/** Returns the nodes whose id holds the text: equal first, then beginning with it, then the rest. */
export function find(ids: string[], text: string, most = MOST_RESULTS): number[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const ranks: number[][] = [[], [], []];
  for (let node = 0; node < ids.length; node++) {
    const at = ids[node].indexOf(wanted);
    if (at < 0) continue;
    const rank = ranks[at > 0 ? 2 : ids[node].length === wanted.length ? 0 : 1];
    if (rank.length < most) rank.push(node);
  }
  return ranks.flat().slice(0, most);
}

export class Search {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly list = make("ul", {
    className: "hv-results",
    id: "hv-results",
    role: "listbox",
    hidden: true,
    "aria-label": "Nodes found",
  });
  private readonly lowered: string[];
  private found: number[] = [];
  private active = -1;

  constructor(
    private readonly ids: (string | number)[],
    private readonly choose: (node: number) => void,
  ) {
    this.lowered = ids.map((id) => String(id).toLowerCase());
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
      onkeydown: (event: KeyboardEvent) => this.press(event),
      onblur: () => this.close(),
      onfocus: () => this.update(),
    });
    this.element = make("div", { className: "hv-search" }, this.input, this.list);
  }

  private update(): void {
    this.found = find(this.lowered, this.input.value);
    const options = this.found.map((node, at) => this.option(node, at));
    this.list.replaceChildren(...options);
    this.list.hidden = !this.input.value.trim();
    if (!options.length)
      this.list.append(make("li", { className: "hv-none", role: "presentation" }, "No node has this id"));
    this.input.setAttribute("aria-expanded", String(options.length > 0));
    this.activate(options.length ? 0 : -1);
  }

  private option(node: number, at: number): HTMLElement {
    const text = shorten(String(this.ids[node]), 60);
    // The box must not lose the focus before the click arrives, for that closes the list.
    const onmousedown = (event: MouseEvent) => event.preventDefault();
    return make("li", { id: `hv-result-${at}`, role: "option", onmousedown, onclick: () => this.take(at) }, text);
  }

  private activate(at: number): void {
    this.active = at;
    [...this.list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    if (at < 0) this.input.removeAttribute("aria-activedescendant");
    else this.input.setAttribute("aria-activedescendant", `hv-result-${at}`);
  }

  private press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") this.take(this.active);
    else if (event.key === "Escape" && !this.list.hidden) this.close();
    else if (step && this.found.length) this.activate((this.active + step + this.found.length) % this.found.length);
    else return;
    event.preventDefault();
  }

  private take(at: number): void {
    const node = this.found[at];
    if (node === undefined) return;
    this.input.value = String(this.ids[node]);
    this.close();
    this.choose(node);
  }

  private close(): void {
    this.list.hidden = true;
    this.found = [];
    this.input.setAttribute("aria-expanded", "false");
    this.activate(-1);
  }
}
