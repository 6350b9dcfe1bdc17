/** The squares of the matrix on a canvas: a picture for each verdict, made once, and put where it belongs. */
import type { Verdict } from "../api/shapes.ts";
import type { Palette } from "../map/palette.ts";
import { CELL_STYLE, cellMarks } from "../map/shapes.ts";
import { VERDICTS } from "../text.ts";
import { type Grid, type Place, VERDICT_LOOK, verdictAt } from "./matrix.ts";

/** Size of a square with the air around it, CSS pixels. */
export const SQUARE = { w: 20, h: 22 };
const AIR = 3;

export type Stamps = Record<Verdict, HTMLCanvasElement>;

export function makeStamps(palette: Palette, ratio: number): Stamps {
  return Object.fromEntries(VERDICTS.map((verdict) => [verdict, stamp(verdict, palette, ratio)])) as Stamps;
}

function stamp(verdict: Verdict, palette: Palette, ratio: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(SQUARE.w * ratio), Math.round(SQUARE.h * ratio)];
  const ctx = canvas.getContext("2d");
  if (!ctx) return canvas;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  const cell = VERDICT_LOOK[verdict];
  const style = CELL_STYLE[cell];
  const side = SQUARE.w - 2 * AIR;
  const box = { x: AIR, y: (SQUARE.h - side) / 2, w: side, h: side };
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.w, box.h, 3);
  if (style.fill) {
    ctx.fillStyle = palette(style.fill);
    ctx.fill();
  }
  // What is well stays without an outline: most of the picture is that, and it should be calm.
  if (verdict !== "ok") {
    ctx.strokeStyle = palette(style.line);
    ctx.lineWidth = 1;
    ctx.setLineDash(style.dash ?? []);
    ctx.stroke();
    ctx.setLineDash([]);
  }
  for (const mark of cellMarks(cell, box)) {
    const path = new Path2D(mark.path);
    if (mark.fill) {
      ctx.fillStyle = palette(mark.fill);
      ctx.fill(path);
    }
    if (mark.stroke) {
      ctx.lineCap = "round";
      ctx.strokeStyle = palette(mark.stroke);
      ctx.lineWidth = mark.width ?? 1;
      ctx.stroke(path);
    }
  }
  return canvas;
}

export interface Scene {
  grid: Grid;
  stamps: Stamps;
  palette: Palette;
  /** What lies at the corner of the canvas, in pixels of the whole sheet. */
  left: number;
  top: number;
  width: number;
  height: number;
  at: Place | null;
}

export function drawMatrix(ctx: CanvasRenderingContext2D, { grid, stamps, palette, left, top, width, height, at }: Scene): void {
  ctx.fillStyle = palette("surface");
  ctx.fillRect(0, 0, width, height);
  const rows = { from: Math.floor(top / SQUARE.h), to: Math.min(grid.rows.length, Math.ceil((top + height) / SQUARE.h)) };
  const columns = { from: Math.floor(left / SQUARE.w), to: Math.min(grid.columns.length, Math.ceil((left + width) / SQUARE.w)) };
  if (at) {
    ctx.fillStyle = palette("accent-bg");
    ctx.fillRect(0, at.row * SQUARE.h - top, grid.columns.length * SQUARE.w - left, SQUARE.h);
    ctx.fillRect(at.column * SQUARE.w - left, 0, SQUARE.w, grid.rows.length * SQUARE.h - top);
  }
  ctx.fillStyle = palette("line");
  for (let c = columns.from; c < columns.to; c += 1) {
    if (grid.columns[c]?.first && c) ctx.fillRect(c * SQUARE.w - left, 0, 1, Math.min(height, grid.rows.length * SQUARE.h - top));
  }
  for (let r = rows.from; r < rows.to; r += 1) {
    const cells = grid.rows[r]?.cells ?? "";
    for (let c = columns.from; c < columns.to; c += 1) {
      const verdict = verdictAt(cells, grid.columns[c]?.letter ?? -1);
      const [x, y] = [c * SQUARE.w - left, r * SQUARE.h - top];
      if (verdict) ctx.drawImage(stamps[verdict], x, y, SQUARE.w, SQUARE.h);
      else ctx.fillRect(x + SQUARE.w / 2 - 1, y + SQUARE.h / 2 - 1, 2, 2);
    }
  }
}

/** The square under a point of the canvas, or null beside the grid. */
export function squareAt(grid: Grid, x: number, y: number): Place | null {
  const place = { row: Math.floor(y / SQUARE.h), column: Math.floor(x / SQUARE.w) };
  return x >= 0 && y >= 0 && place.row < grid.rows.length && place.column < grid.columns.length ? place : null;
}
