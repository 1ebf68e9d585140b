/** What `window.highwayViewer` offers to tests and scripts. */

import type { Shown } from "./filter";

export interface Handle {
  /** True once the first picture is drawn. */
  readonly ready: boolean;
  /** Chooses the node of this id, as a click does; false if there is none. */
  select(id: string | number): boolean;
  /** Lets go of the chosen node. */
  clear(): void;
  state(): State;
  /** Where a node (by its index in the data) is in the window, as clientX and clientY of a mouse event. */
  positionOf(index: number): { x: number; y: number };
}

export interface State {
  /** The chosen node's id. */
  selected: string | number | null;
  /** The rounds whose highways are drawn. */
  rounds: number[];
  filters: Filters;
  /** How many nodes pass the filters. */
  matches: number;
  shown: Shown;
}

export interface Filters {
  wrong: boolean;
  remote: boolean;
  changed: boolean;
  /** The class picked in the legend; "unknown" for nodes without a truth. */
  class: string | null;
  colour: "prediction" | "truth";
  edges: boolean;
}

declare global {
  interface Window {
    highwayViewer?: Handle;
  }
}
