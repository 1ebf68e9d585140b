/** Camera control on top of sigma's camera, with a flag for whether it is moving. */

import type Sigma from "sigma";
import type { NodeAttributes } from "./node_style";
import { prefersReducedMotion } from "./theme";

/** Milliseconds without an update after which the camera counts as idle. */
const IDLE_DELAY = 120;

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

  /** Centre a node at a zoom at which the other nodes are visible too. */
  flyTo(node: number, others: number[]): void {
    const { x: centreX, y: centreY, ratio } = this.sigma.getCamera();
    this.before ??= { x: centreX, y: centreY, ratio };
    const [x, y] = this.positions.subarray(2 * node, 2 * node + 2);
    const distance = (other: number) =>
      Math.max(Math.abs(this.positions[2 * other] - x), Math.abs(this.positions[2 * other + 1] - y));
    const farthest = Math.max(0, ...others.map(distance));
    this.move({ x, y, ratio: Math.min(1.5, Math.max(0.2, 2.3 * farthest)) }, 600);
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
