/** Fingers and mouse to view changes: one pointer drags, two pinch, a press without a move is a tap. */
import type { Box } from "./geometry.ts";
import { keepInSight, pan, type Size, type View, zoomAt } from "./view.ts";

export const TAP_SLOP_PX = 5;

export interface Point {
  x: number;
  y: number;
}

export class Gestures {
  private pointers = new Map<number, Point>();
  private start: Point | null = null;
  private moved = false;

  constructor(
    private readonly world: () => { view: View; bounds: Box; size: Size },
    private readonly show: (view: View) => void,
  ) {}

  get dragging(): boolean {
    return this.moved && this.pointers.size > 0;
  }

  down(id: number, point: Point): void {
    if (this.pointers.size === 0) {
      this.start = point;
      this.moved = false;
    } else {
      this.moved = true;
    }
    this.pointers.set(id, point);
  }

  move(id: number, point: Point): void {
    const before = this.pointers.get(id);
    if (!before) return;
    if (this.start && Math.hypot(point.x - this.start.x, point.y - this.start.y) > TAP_SLOP_PX) this.moved = true;
    if (this.pointers.size === 1) {
      this.pointers.set(id, point);
      if (this.moved) this.change((view) => pan(view, point.x - before.x, point.y - before.y));
      return;
    }
    const other = [...this.pointers].find(([key]) => key !== id)?.[1];
    this.pointers.set(id, point);
    if (other) this.pinch(before, point, other);
  }

  /** Returns the point when it was a tap. */
  up(id: number): Point | null {
    const point = this.pointers.get(id);
    this.pointers.delete(id);
    if (!point || this.moved || this.pointers.size > 0) return null;
    return point;
  }

  cancel(): void {
    this.pointers.clear();
    this.moved = true;
  }

  wheel(point: Point, deltaY: number, pinching: boolean): void {
    this.zoom(point, Math.exp(-deltaY * (pinching ? 0.01 : 0.0016)));
  }

  zoom(point: Point, factor: number): void {
    const { bounds, size } = this.world();
    this.change((view) => zoomAt(view, point.x, point.y, factor, bounds, size));
  }

  private pinch(before: Point, after: Point, other: Point): void {
    const { bounds, size } = this.world();
    const was = Math.hypot(before.x - other.x, before.y - other.y) || 1;
    const is = Math.hypot(after.x - other.x, after.y - other.y) || 1;
    const from = { x: (before.x + other.x) / 2, y: (before.y + other.y) / 2 };
    const to = { x: (after.x + other.x) / 2, y: (after.y + other.y) / 2 };
    this.change((view) => pan(zoomAt(view, from.x, from.y, is / was, bounds, size), to.x - from.x, to.y - from.y));
  }

  private change(step: (view: View) => View): void {
    const { view, bounds, size } = this.world();
    this.show(keepInSight(step(view), bounds, size));
  }
}
