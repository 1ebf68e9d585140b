/** Tooltip with the details of the node under the pointer. */

import type { GraphData } from "./data";
import { make } from "./dom";
import { truncate } from "./format";
import type { Point } from "./layout";
import { MAX_TOOLTIP_ATTRIBUTES, nodeDetails } from "./node_details";

/** Distance from the node, in pixels. */
const OFFSET = 14;

export class Tooltip {
  readonly element = make("div", { className: "hv-tooltip", hidden: true, role: "tooltip" });

  constructor(private readonly data: GraphData) {}

  show(node: number, at: Point): void {
    const title = make("strong", {}, truncate(String(this.data.ids[node]), 80));
    this.element.replaceChildren(title, nodeDetails(this.data, node, { maxAttributes: MAX_TOOLTIP_ATTRIBUTES }));
    this.element.hidden = false;
    this.place(at);
  }

  hide(): void {
    this.element.hidden = true;
  }

  /** Place it to the right of the node and below it, or on the opposite side where it would not fit. */
  private place(at: Point): void {
    const { offsetWidth: width, offsetHeight: height, style } = this.element;
    const stage = this.element.parentElement!;
    const fit = (start: number, size: number, available: number) =>
      Math.max(
        4,
        start + OFFSET + size < available ? start + OFFSET : Math.min(start - OFFSET - size, available - size - 4),
      );
    style.left = `${fit(at.x, width, stage.clientWidth)}px`;
    style.top = `${fit(at.y, height, stage.clientHeight)}px`;
  }
}
