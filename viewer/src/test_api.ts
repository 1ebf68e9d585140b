/** The API that `window.highwayViewer` offers to tests and scripts. */

import type { GraphUpdate } from "./data";
import type { ColourBy, VisibleCounts } from "./filter";

export interface TestApi {
  /** True after the first render. */
  readonly ready: boolean;
  /** Select the node with this id, as a click does; return false if there is none. */
  select(id: string | number): boolean;
  /** Select the node with this id and move the camera to it; return false if there is none. */
  show(id: string | number): boolean;
  /** Select the node with this index in the data, if it is not, and move the camera to it. */
  focus(index: number): void;
  /** Replace the columns that change while a graph is labelled. */
  update(columns: GraphUpdate): void;
  /** Clear the selection; the camera returns to where it was. */
  clear(): void;
  state(): ViewerState;
  /** Return the position of a node (by its index in the data) as clientX and clientY of a mouse event. */
  positionOf(index: number): { x: number; y: number };
}

export interface ViewerState {
  /** Id of the selected node. */
  selected: string | number | null;
  /** Rounds whose highways are visible. */
  rounds: number[];
  filters: FilterState;
  /** Number of nodes that pass the filters. */
  matches: number;
  visible: VisibleCounts;
  /** Zoom of the camera: 1 shows the whole graph, 0.5 half of it. */
  zoom: number;
}

export interface FilterState {
  misclassified: boolean;
  remote: boolean;
  changed: boolean;
  /** The class selected in the legend; "unknown" for nodes without ground truth. */
  class: string | null;
  colourBy: ColourBy;
  edges: boolean;
}

declare global {
  interface Window {
    highwayViewer?: TestApi;
    /** Returns why a node is predicted to be of its class, where the page has explanations. */
    highwayExplanation?: (id: string | number) => HTMLElement;
  }
}
