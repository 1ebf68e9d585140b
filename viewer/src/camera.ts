/** Moves the camera, and knows whether it moves or rests. */

import type Sigma from "sigma";
import type { NodeAttributes } from "./nodes";
import { wantsStillness } from "./theme";

/** After so many milliseconds without a move the camera rests. */
const SETTLED = 120;

export class Camera {
  private timer = 0;
  private held = false;

  constructor(
    private readonly sigma: Sigma<NodeAttributes>,
    private readonly positions: Float32Array,
  ) {
    sigma.getCamera().on("updated", () => this.wait());
    sigma.getContainer().addEventListener("pointerdown", () => (this.held = true));
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => (this.held = false));
  }

  get moving(): boolean {
    return this.timer > 0;
  }

  /** 1 shows all, 0.5 half as much. */
  get ratio(): number {
    return this.sigma.getCamera().ratio;
  }

  /** Moves to a node, from as far as the others can be seen too. */
  flyTo(node: number, others: number[]): void {
    const [x, y] = this.positions.subarray(2 * node, 2 * node + 2);
    const away = (other: number) =>
      Math.max(Math.abs(this.positions[2 * other] - x), Math.abs(this.positions[2 * other + 1] - y));
    const furthest = Math.max(0, ...others.map(away));
    this.move({ x, y, ratio: Math.min(1.5, Math.max(0.2, 2.3 * furthest)) }, 600);
  }

  zoom(factor: number): void {
    this.move({ ratio: this.sigma.getCamera().getBoundedRatio(this.ratio * factor) }, 200);
  }

  reset(): void {
    this.move({ x: 0.5, y: 0.5, ratio: 1 }, 300);
  }

  private move(state: { x?: number; y?: number; ratio: number }, duration: number): void {
    const camera = this.sigma.getCamera();
    if (wantsStillness()) camera.setState(state);
    else void camera.animate(state, { duration });
  }

  /** A camera that a finger or a button holds does not rest, however long it stays where it is. */
  private wait(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (this.held ? this.wait() : this.rest()), SETTLED);
  }

  private rest(): void {
    this.timer = 0;
    this.sigma.scheduleRender();
  }
}
