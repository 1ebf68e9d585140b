/** The card beside the pointer that tells of the node under it. */

import type { GraphData } from "./data";
import { make } from "./dom";
import { facts, MOST_ATTRIBUTES } from "./facts";
import type { Point } from "./scene";
import { shorten } from "./words";

const GAP = 14;

export class Card {
  readonly element = make("div", { className: "hv-card", hidden: true, role: "tooltip" });

  constructor(private readonly data: GraphData) {}

  show(node: number, at: Point): void {
    const title = make("strong", {}, shorten(String(this.data.ids[node]), 80));
    this.element.replaceChildren(title, facts(this.data, node, MOST_ATTRIBUTES));
    this.element.hidden = false;
    this.place(at);
  }

  hide(): void {
    this.element.hidden = true;
  }

  /** To the right of the node and below it, or on the other side where there is no room. */
  private place(at: Point): void {
    const { offsetWidth: width, offsetHeight: height, style } = this.element;
    const stage = this.element.parentElement!;
    const fit = (start: number, size: number, room: number) =>
      Math.max(4, start + GAP + size < room ? start + GAP : Math.min(start - GAP - size, room - size - 4));
    style.left = `${fit(at.x, width, stage.clientWidth)}px`;
    style.top = `${fit(at.y, height, stage.clientHeight)}px`;
  }
}
