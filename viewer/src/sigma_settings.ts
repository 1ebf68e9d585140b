/** Settings and node programs of sigma. */

import { createNodeBorderProgram } from "@sigma/node-border";
import { NodePointProgram } from "sigma/rendering";
import type { Settings } from "sigma/settings";
import type { Box } from "./label_placement";
import { drawHoverRing, drawNodeId } from "./node_overlay";
import type { NodeAttributes, NodeStyle } from "./node_style";
import { hex, prefersReducedMotion, type Theme } from "./theme";

type SigmaSettings = Partial<Settings<NodeAttributes>>;

export function sigmaSettings(style: NodeStyle, theme: Theme, labels: Box[]): SigmaSettings {
  return {
    ...themeSettings(theme, labels),
    ...(prefersReducedMotion() ? noAnimation : {}),
    allowInvalidContainer: true,
    defaultDrawNodeHover: drawHoverRing(style),
    enableCameraRotation: false,
    labelSize: 12,
    maxCameraRatio: 2,
    minCameraRatio: 0.01,
    nodeProgramClasses: { circle: NodePointProgram, ring: ringProgram() },
    nodeReducer: style.reduce,
    stagePadding: 24,
    zIndex: true,
  };
}

export function themeSettings(theme: Theme, labels: Box[]): SigmaSettings {
  return { defaultDrawNodeLabel: drawNodeId(theme, labels), labelColor: { color: hex(theme.text) }, labelFont: theme.font };
}

/** 1 instead of 0, because sigma divides by the duration. */
const noAnimation: SigmaSettings = { zoomDuration: 1, inertiaDuration: 1, doubleClickZoomingDuration: 1 };

/** A disc with a gap and a ring. Two "pixels" of this program are one CSS pixel. */
function ringProgram() {
  const pixels = (value: number) => ({ value: 2 * value, mode: "pixels" as const });
  return createNodeBorderProgram<NodeAttributes>({
    borders: [
      { size: pixels(1.6), color: { attribute: "borderColor" } },
      { size: pixels(1.1), color: { attribute: "gapColor" } },
      { size: { fill: true }, color: { attribute: "color" } },
    ],
  });
}
