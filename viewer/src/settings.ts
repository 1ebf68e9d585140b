/** How sigma is set up. */

import { createNodeBorderProgram } from "@sigma/node-border";
import { NodePointProgram } from "sigma/rendering";
import type { Settings } from "sigma/settings";
import { drawHover, drawLabel } from "./labels";
import type { NodeAttributes, NodePaint } from "./nodes";
import { hex, wantsStillness, type Theme } from "./theme";

type Chosen = Partial<Settings<NodeAttributes>>;

export function settings(paint: NodePaint, theme: Theme): Chosen {
  return {
    ...themed(theme),
    ...(wantsStillness() ? still : {}),
    allowInvalidContainer: true,
    defaultDrawNodeHover: drawHover(paint),
    enableCameraRotation: false,
    labelSize: 12,
    maxCameraRatio: 2,
    minCameraRatio: 0.01,
    nodeProgramClasses: { circle: NodePointProgram, ring: ring() },
    nodeReducer: paint.reduce,
    stagePadding: 24,
    zIndex: true,
  };
}

export function themed(theme: Theme): Chosen {
  return { defaultDrawNodeLabel: drawLabel(theme), labelColor: { color: hex(theme.ink) }, labelFont: theme.font };
}

/** Not 0, by which sigma would divide. */
const still: Chosen = { zoomDuration: 1, inertiaDuration: 1, doubleClickZoomingDuration: 1 };

/** A disc with a gap and a ring; sigma counts two of these "pixels" to one CSS pixel. */
function ring() {
  const pixels = (value: number) => ({ value: 2 * value, mode: "pixels" as const });
  return createNodeBorderProgram<NodeAttributes>({
    borders: [
      { size: pixels(1.6), color: { attribute: "borderColor" } },
      { size: pixels(1.1), color: { attribute: "gapColor" } },
      { size: { fill: true }, color: { attribute: "color" } },
    ],
  });
}
