/** Puts the parts together and keeps what the reader chose. */

import { Card } from "./card";
import { cameraButtons, colouring, filters } from "./controls";
import { allLines, type GraphData, type Lines } from "./data";
import { make } from "./dom";
import { firstView, highwaysOf, matching, shown, type View } from "./filter";
import type { Handle, State } from "./handle";
import { Legend } from "./legend";
import { Panel } from "./panel";
import { wayFinder, type Ways } from "./paths";
import { lineControls } from "./rounds";
import { Scene } from "./scene";
import { Search } from "./search";
import { watchTheme } from "./theme";
import type { Highlight } from "./ways";
import { choiceWords, matchWords, totalsWords } from "./words";

export class Viewer implements Handle {
  ready = false;
  private view: View;
  private matches: Uint8Array | null = null;
  private selected: number | null = null;
  private ways: Ways | null = null;
  private readonly lines: Lines;
  private readonly waysOf: (node: number) => Ways;
  private readonly stage = make("div", { className: "hv-stage", role: "img", "aria-label": "Picture of the graph" });
  private readonly status = make("p", { className: "hv-status", role: "status", "aria-live": "polite" });
  private readonly card: Card;
  private readonly panel: Panel;
  private readonly legend: Legend;
  private readonly scene: Scene;

  constructor(
    root: HTMLElement,
    private readonly data: GraphData,
  ) {
    this.view = firstView(data);
    this.lines = allLines(data);
    this.waysOf = wayFinder(data, this.lines);
    this.card = new Card(data);
    this.panel = new Panel(data, { go: (node) => this.visit(node), close: () => this.clear() });
    this.legend = new Legend(data, (only) => this.change({ only }));
    this.legend.show(this.view);
    this.furnish(root);
    this.scene = new Scene(this.stage, data, this.lines, this.view, {
      hover: (node) => this.hover(node),
      choose: (node) => this.choose(node),
      drawn: () => (this.ready = true),
      lost: () => (this.status.textContent = "The graphics card dropped the picture; reload the page to see it again."),
    });
    this.stage.parentElement!.append(this.card.element, cameraButtons(this.scene.camera, root));
    this.say();
    this.listen();
  }

  select(id: string | number): boolean {
    const node = this.data.ids.findIndex((other) => String(other) === String(id));
    if (node >= 0) this.choose(node);
    return node >= 0;
  }

  clear(): void {
    this.choose(null);
  }

  state(): State {
    const { wrong, remote, changed, only, colourBy, edges, rounds } = this.view;
    const name = only === null ? null : (this.data.classes[only] ?? "unknown");
    return {
      selected: this.selected === null ? null : this.data.ids[this.selected],
      rounds: [...rounds].sort((a, b) => a - b),
      filters: { wrong, remote, changed, class: name, colour: colourBy, edges },
      matches: this.matchCount(),
      shown: shown(this.data, this.view),
    };
  }

  positionOf(index: number): { x: number; y: number } {
    const { left, top } = this.stage.getBoundingClientRect();
    const { x, y } = this.scene.positionOf(index);
    return { x: left + x, y: top + y };
  }

  private furnish(root: HTMLElement): void {
    const change = (part: Partial<View>) => this.change(part);
    const search = new Search(this.data.ids, (node) => this.visit(node));
    const part = (className: string, ...children: Node[]) => make("div", { className }, ...children);
    const bar = part("hv-bar", search.element, filters(this.data, change), colouring(this.data, change));
    const side = part("hv-side", this.panel.element, this.legend.element, lineControls(this.data, change));
    root.classList.add("hv");
    root.replaceChildren(part("hv-frame", bar, part("hv-picture", this.stage), this.status, side));
  }

  private listen(): void {
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && this.selected !== null) this.clear();
    });
    new ResizeObserver(() => this.scene.resize()).observe(this.stage);
    watchTheme(() => this.scene.restyle());
  }

  private change(part: Partial<View>): void {
    this.view = { ...this.view, ...part };
    const onlyLines = "rounds" in part || "edges" in part;
    if (onlyLines && this.selected === null) this.scene.showLines(this.view);
    else this.refresh();
    this.say();
  }

  private refresh(): void {
    this.matches = matching(this.data, this.view);
    this.legend.show(this.view);
    this.scene.show(this.view, this.matches, this.highlight());
  }

  private hover(node: number | null): void {
    if (node === null) this.card.hide();
    else this.card.show(node, this.scene.positionOf(node));
  }

  private visit(node: number): void {
    this.choose(node);
    this.scene.camera.flyTo(node, [...(this.ways?.before?.nodes ?? []), ...(this.ways?.after?.nodes ?? [])]);
  }

  private choose(node: number | null): void {
    if (node === this.selected) return;
    this.selected = node;
    this.ways = node === null ? null : this.waysOf(node);
    this.card.hide();
    if (this.ways) this.panel.show(node!, this.ways, highwaysOf(this.data, node!));
    else this.panel.clear();
    this.scene.show(this.view, this.matches, this.highlight());
    this.say();
  }

  private highlight(): Highlight | null {
    if (this.selected === null || !this.ways) return null;
    const { rounds } = this.view;
    const own = highwaysOf(this.data, this.selected).filter((highway) => rounds.has(this.data.highways.round[highway]));
    const { before, after } = this.ways;
    return {
      node: this.selected,
      before: before?.lines ?? [],
      after: after?.lines ?? [],
      own: own.map((highway) => this.lines.edges + highway),
      ends: [this.selected, ...[before, after].flatMap((path) => path?.nodes.slice(-1) ?? [])],
    };
  }

  private matchCount(): number {
    return this.matches ? this.matches.reduce((sum, one) => sum + one, 0) : this.data.ids.length;
  }

  private say(): void {
    const totals = totalsWords(this.data, shown(this.data, this.view));
    const matches = matchWords(this.view, this.matchCount(), this.data.ids.length);
    const choice = this.ways ? choiceWords(this.data, this.selected!, this.ways) : "";
    this.status.textContent = [totals, matches, choice].filter(Boolean).join(" ");
  }
}
