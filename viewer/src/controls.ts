/** The controls above the picture and on it: filters, colouring, and the buttons of the camera. */

import type { Camera } from "./camera";
import type { GraphData } from "./data";
import { icon, make } from "./dom";
import { count, isChanged, isRemote, isWrong, type ColourBy, type View } from "./filter";
import { number } from "./words";

export type Change = (change: Partial<View>) => void;

/** A box to tick, with a number beside it. */
export interface Box {
  label: HTMLElement;
  input: HTMLInputElement;
}

export function box(text: string, total: number, checked: boolean, change: (on: boolean) => void): Box {
  const input = make("input", { type: "checkbox", checked, onchange: () => change(input.checked) });
  const extra = make("span", { className: "hv-count" }, number(total));
  return { label: make("label", { className: "hv-box" }, input, make("span", {}, text), extra), input };
}

export function filters(data: GraphData, change: Change): HTMLElement {
  const add = (text: string, name: "wrong" | "remote" | "changed", test: typeof isWrong) => {
    const total = count(data, test);
    const { label, input } = box(text, total, false, (on) => change({ [name]: on }));
    input.disabled = total === 0;
    return label;
  };
  const boxes = [
    add("Wrong only", "wrong", isWrong),
    add(`Remote only (${data.remote}+ hops)`, "remote", isRemote),
    ...(data.before ? [add("Changed by HighwayGraph", "changed", isChanged)] : []),
  ];
  return make("div", { className: "hv-filters", role: "group", "aria-label": "Filters" }, ...boxes);
}

export function colouring(data: GraphData, change: Change): HTMLElement {
  const choice = (text: string, value: ColourBy, properties: { checked?: boolean; disabled?: boolean }) => {
    const onchange = () => change({ colourBy: value, only: null });
    const input = make("input", { type: "radio", name: "hv-colour", value, ...properties, onchange });
    return make("label", {}, input, make("span", {}, text));
  };
  const unknown = data.truth.every((label) => label < 0);
  return make(
    "fieldset",
    { className: "hv-switch" },
    make("legend", {}, "Colour by"),
    choice("Prediction", "prediction", { checked: true }),
    choice("Truth", "truth", { disabled: unknown }),
  );
}

export function cameraButtons(camera: Camera, root: HTMLElement): HTMLElement {
  const button = (name: string, path: string, onclick: () => void) =>
    make("button", { type: "button", "aria-label": name, title: name, onclick }, icon(path));
  const buttons = [
    button("Zoom in", "M8 3v10M3 8h10", () => camera.zoom(1 / 1.6)),
    button("Zoom out", "M3 8h10", () => camera.zoom(1.6)),
    button("Show all", "M2.5 8a5.5 5.5 0 1 0 1.8-4.1M2.5 2v3h3", () => camera.reset()),
  ];
  const full = "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4";
  if (document.fullscreenEnabled) buttons.push(button("Full screen", full, () => toggleFullScreen(root)));
  return make("div", { className: "hv-camera", role: "group", "aria-label": "Camera" }, ...buttons);
}

function toggleFullScreen(root: HTMLElement): void {
  const done = document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen();
  // A browser may refuse, and then the page just stays as it is.
  done.catch(() => undefined);
}
