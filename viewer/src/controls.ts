/** Controls above and on the canvas: node filters, colouring and camera buttons. */

import type { Camera } from "./camera";
import type { GraphData } from "./data";
import { icon, make } from "./dom";
import {
  countNodes,
  isChanged,
  isMisclassified,
  isRemote,
  type ColourBy,
  type NodePredicate,
  type ViewOptions,
} from "./filter";
import { formatNumber } from "./format";

export type OnChange = (change: Partial<ViewOptions>) => void;

/** A checkbox inside its label. */
export interface Checkbox {
  label: HTMLElement;
  input: HTMLInputElement;
}

export function checkbox(text: string, count: number, checked: boolean, onToggle: (on: boolean) => void): Checkbox {
  const input = make("input", { type: "checkbox", checked, onchange: () => onToggle(input.checked) });
  const countElement = make("span", { className: "hv-count" }, formatNumber(count));
  return { label: make("label", { className: "hv-checkbox" }, input, make("span", {}, text), countElement), input };
}

export function filterControls(data: GraphData, view: ViewOptions, onChange: OnChange): HTMLElement {
  const filter = (text: string, name: "misclassified" | "remote" | "changed", predicate: NodePredicate) => {
    const count = countNodes(data, predicate);
    const { label, input } = checkbox(text, count, view[name], (on) => onChange({ [name]: on }));
    input.disabled = count === 0 && !view[name];
    return label;
  };
  const filters = [
    filter("Misclassified only", "misclassified", isMisclassified),
    filter(`Remote only (${data.remote_hops}+ hops)`, "remote", isRemote),
    ...(data.typical_predicted ? [filter(`Changed by ${data.answer ?? "HighwayGraph"}`, "changed", isChanged)] : []),
  ];
  return make("div", { className: "hv-filters", role: "group", "aria-label": "Filters" }, ...filters);
}

export function colourControls(data: GraphData, view: ViewOptions, onChange: OnChange): HTMLElement {
  const option = (text: string, value: ColourBy, disabled: boolean) => {
    const onchange = () => onChange({ colourBy: value, onlyClass: null });
    const checked = view.colourBy === value;
    const input = make("input", { type: "radio", name: "hv-colour", value, checked, disabled, onchange });
    return make("label", {}, input, make("span", {}, text));
  };
  const unknown = data.ground_truth.every((label) => label < 0);
  return make(
    "fieldset",
    { className: "hv-radio-group" },
    make("legend", {}, "Colour by"),
    option("Prediction", "prediction", false),
    option("Ground truth", "ground_truth", unknown),
  );
}

export function cameraButtons(camera: Camera, root: HTMLElement): HTMLElement {
  const button = (name: string, path: string, onclick: () => void) =>
    make("button", { type: "button", "aria-label": name, title: name, onclick }, icon(path));
  const buttons = [
    button("Zoom in", "M8 3v10M3 8h10", () => camera.zoom(1 / 1.6)),
    button("Zoom out", "M3 8h10", () => camera.zoom(1.6)),
    button("Reset view", "M2.5 8a5.5 5.5 0 1 0 1.8-4.1M2.5 2v3h3", () => camera.reset()),
  ];
  const corners = "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4";
  if (document.fullscreenEnabled) buttons.push(button("Full screen", corners, () => toggleFullScreen(root)));
  return make("div", { className: "hv-camera", role: "group", "aria-label": "Camera" }, ...buttons);
}

function toggleFullScreen(root: HTMLElement): void {
  const done = document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen();
  // A browser may deny the request; the page then stays as it is.
  done.catch(() => undefined);
}
