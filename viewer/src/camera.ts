/** Camera control on top of sigma's camera, with a flag for whether it is moving. */

import type Sigma from "sigma";
import { extent } from "./layout";
import type { NodeAttributes } from "./node_style";
import { prefersReducedMotion } from "./theme";

/** Milliseconds without an update after which the camera counts as idle. */
const IDLE_DELAY = 120;

/** Zoom that a flight does not exceed, closer in larger graphs: nodes grow with it, and cover a short path. */
const closest = (nodes: number) => Math.min(0.2, Math.max(0.04, 2.7 / Math.sqrt(nodes)));

export class Camera {
  private idleTimer = 0;
  private pointerDown = false;
  /** State before the first flight to a node. */
  private before: { x: number; y: number; ratio: number } | null = null;

  constructor(
    private readonly sigma: Sigma<NodeAttributes>,
    private readonly positions: Float32Array,
  ) {
    sigma.getCamera().on("updated", () => this.scheduleIdle());
    sigma.getContainer().addEventListener("pointerdown", () => (this.pointerDown = true));
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => (this.pointerDown = false));
  }

  get moving(): boolean {
    return this.idleTimer > 0;
  }

  /** Sigma's zoom ratio: 1 shows the whole graph, 0.5 half of it. */
  get ratio(): number {
    return this.sigma.getCamera().ratio;
  }

  /** Centre these nodes at a zoom at which all of them are visible, with room for their ids. */
  flyTo(nodes: number[]): void {
    const { x, y, ratio } = this.sigma.getCamera();
    this.before ??= { x, y, ratio };
    const [left, right] = extent(nodes.map((node) => this.positions[2 * node]));
    const [bottom, top] = extent(nodes.map((node) => this.positions[2 * node + 1]));
    const size = Math.max(right - left, top - bottom);
    const zoom = Math.max(closest(this.positions.length / 2), 1.6 * size);
    this.move({ x: (left + right) / 2, y: (bottom + top) / 2, ratio: Math.min(1.5, zoom) }, 600);
  }

  /** Return to where the camera was before it moved to a node. */
  back(): void {
    if (this.before) this.move(this.before, 600);
    this.before = null;
  }

  zoom(factor: number): void {
    this.move({ ratio: this.sigma.getCamera().getBoundedRatio(this.ratio * factor) }, 200);
  }

  reset(): void {
    this.move({ x: 0.5, y: 0.5, ratio: 1 }, 300);
  }

  private move(state: { x?: number; y?: number; ratio: number }, duration: number): void {
    const camera = this.sigma.getCamera();
    if (prefersReducedMotion()) camera.setState(state);
    else void camera.animate(state, { duration });
  }

  /** While a pointer is down the camera is being dragged, so it is not idle even if it stays in place. */
  private scheduleIdle(): void {
    window.clearTimeout(this.idleTimer);
    this.idleTimer = window.setTimeout(() => (this.pointerDown ? this.scheduleIdle() : this.setIdle()), IDLE_DELAY);
  }

  private setIdle(): void {
    this.idleTimer = 0;
    this.sigma.scheduleRender();
  }
}
