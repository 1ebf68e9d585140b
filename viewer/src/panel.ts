/** The panel of the chosen node: its ways to the nearest label before and after, and its highways. */

import type { GraphData } from "./data";
import { dot, icon, make } from "./dom";
import { facts, mark, named } from "./facts";
import type { Path, Ways } from "./paths";
import { gainWords, number, pathWords, percent, shorten } from "./words";

const MOST_HIGHWAYS = 50;

export interface PanelEvents {
  go(node: number): void;
  close(): void;
}

export class Panel {
  readonly element = make("section", { className: "hv-panel", "aria-label": "Chosen node", tabIndex: -1 });

  constructor(
    private readonly data: GraphData,
    private readonly events: PanelEvents,
  ) {
    this.clear();
  }

  clear(): void {
    const hint = "Choose a node to see its way to the nearest label, without and with highways.";
    this.element.replaceChildren(make("p", { className: "hv-hint" }, hint));
  }

  show(node: number, ways: Ways, highways: number[]): void {
    const parts = [this.head(node), facts(this.data, node), this.gain(ways)];
    if (!ways.labelled && ways.after) parts.push(this.chains(ways));
    if (this.data.sampled) parts.push(make("p", { className: "hv-hint" }, "Ways are looked for within the sample."));
    parts.push(this.highways(node, highways));
    this.element.replaceChildren(...parts);
    if (this.element.parentElement) this.element.parentElement.scrollTop = 0;
  }

  /** The button that was pressed is gone; without this a keyboard user would start again at the top of the page. */
  private settle(): void {
    this.element.focus({ preventScroll: true });
  }

  private head(node: number): HTMLElement {
    const id = String(this.data.ids[node]);
    const onclick = () => {
      this.events.close();
      this.settle();
    };
    const properties = { type: "button", "aria-label": "Close", title: "Close (Esc)", onclick };
    const close = make("button", properties, icon("M4 4l8 8M12 4l-8 8"));
    return make("div", { className: "hv-head" }, make("h3", { title: id }, shorten(id, 60)), close);
  }

  private gain(ways: Ways): HTMLElement {
    const label = make("h4", {}, "To the nearest label of ", named(this.data, ways.goal));
    const words = make("p", { className: "hv-gain" }, gainWords(this.data, ways));
    return ways.labelled ? words : make("div", {}, label, words);
  }

  private chains(ways: Ways): HTMLElement {
    const before = this.chain("Before", ways.before);
    return make("div", { className: "hv-chains" }, before, this.chain("After", ways.after));
  }

  private chain(title: string, path: Path | null): HTMLElement {
    const stops = (path?.nodes ?? []).map((node, at) => this.stop(path!, node, at));
    const name = make("h5", {}, `${title} `, make("span", {}, pathWords(path)));
    return make("div", { className: `hv-chain hv-${title.toLowerCase()}` }, name, make("ol", {}, ...stops));
  }

  /** The mark of a stop says how one got there: by an edge, or by a highway of some round. */
  private stop(path: Path, node: number, at: number): HTMLElement {
    const highway = at > 0 ? path.lines[at - 1] - this.data.edges.length / 2 : -1;
    const last = at === path.nodes.length - 1;
    const item = make("li", {}, dot(this.data.colours[this.data.predicted[node]], last), this.link(node));
    if (highway < 0) return item;
    item.classList.add("hv-by-highway");
    item.prepend(make("span", { className: "hv-via" }, `highway, round ${this.data.highways.round[highway]}`));
    return item;
  }

  private link(node: number): HTMLElement {
    const id = String(this.data.ids[node]);
    const onclick = () => {
      this.events.go(node);
      this.settle();
    };
    return make("button", { type: "button", className: "hv-link", title: id, onclick }, shorten(id, 40));
  }

  private highways(node: number, highways: number[]): HTMLElement {
    if (!highways.length) return make("p", { className: "hv-hint" }, "No highway ends here.");
    const columns = ["To", "Round", "Conf.", "Score", "Right?"].map((name) => make("th", { scope: "col" }, name));
    const rows = highways.slice(0, MOST_HIGHWAYS).map((highway) => this.highwayRow(node, highway));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...columns)), make("tbody", {}, ...rows));
    const more = highways.length - rows.length;
    const rest = more > 0 ? [make("p", { className: "hv-hint" }, `and ${number(more)} more.`)] : [];
    return make("div", {}, make("h4", {}, `Highways (${number(highways.length)})`), table, ...rest);
  }

  private highwayRow(node: number, highway: number): HTMLElement {
    const { from, to, round, confidence, score, right } = this.data.highways;
    const other = from[highway] === node ? to[highway] : from[highway];
    const numbers = [String(round[highway]), percent(confidence[highway]), percent(score[highway])];
    const verdict = right[highway] < 0 ? "" : mark(right[highway] === 1);
    const cells = [this.link(other), ...numbers, verdict].map((content) => make("td", {}, content));
    return make("tr", {}, ...cells);
  }
}
