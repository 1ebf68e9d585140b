/** Detection of machines that cannot draw all edges fast enough while the camera moves. */

/** Milliseconds after which a frame is late. */
const LATE = 45;
/** Milliseconds after which a gap is a pause between movements instead of a frame. */
const PAUSE = 500;
/** Consecutive late frames after which the budget is exceeded. */
const MAX_LATE_FRAMES = 4;

export class FrameBudget {
  /** Never reset: frames without edges are fast on any machine, so they do not show that edges are affordable. */
  exceeded = false;
  private lastFrame = -Infinity;
  private lateFrames = 0;

  /** Record the time, in milliseconds, of a frame that was drawn with all edges. */
  record(now: number): void {
    const elapsed = now - this.lastFrame;
    this.lastFrame = now;
    if (elapsed > PAUSE) return;
    this.lateFrames = elapsed > LATE ? this.lateFrames + 1 : 0;
    if (this.lateFrames >= MAX_LATE_FRAMES) this.exceeded = true;
  }
}
