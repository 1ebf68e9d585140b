/** Notices a machine that does not keep up with drawing all lines while the picture moves. */

const LATE = 45;
const PAUSE = 500;
const PATIENCE = 4;

export class Pace {
  /** Once true it stays so: without lines frames are fast again, and that proves nothing. */
  slow = false;
  private last = -Infinity;
  private late = 0;

  /** Counts a frame that was drawn with all lines at this time, in milliseconds. */
  count(now: number): void {
    const gap = now - this.last;
    this.last = now;
    if (gap > PAUSE) return;
    this.late = gap > LATE ? this.late + 1 : 0;
    if (this.late >= PATIENCE) this.slow = true;
  }
}
