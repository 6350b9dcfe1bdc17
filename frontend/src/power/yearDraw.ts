/** The map of a year on a canvas: a column a day, a row an hour. */
import type { Palette } from "../map/palette.ts";
import type { Year } from "./shapes.ts";
import { type Hour, stepOf } from "./year.ts";

export const CELL = { w: 3, h: 8 };

export function drawYear(ctx: CanvasRenderingContext2D, year: Year, palette: Palette, at: Hour | null): void {
  ctx.fillStyle = palette("surface");
  ctx.fillRect(0, 0, year.days.length * CELL.w, 24 * CELL.h);
  year.days.forEach((_, day) => {
    for (let hour = 0; hour < 24; hour += 1) {
      const step = stepOf(year, { day, hour });
      const [x, y] = [day * CELL.w, hour * CELL.h];
      if (step) {
        ctx.fillStyle = palette(`step-${step}`);
        ctx.fillRect(x, y, CELL.w, CELL.h);
      } else {
        // Not known: a dot on the bare ground, which no step of the scale has.
        ctx.fillStyle = palette("line-3");
        ctx.fillRect(x + 1, y + CELL.h / 2 - 0.5, 1, 1);
      }
    }
  });
  if (!at) return;
  ctx.strokeStyle = palette("ink");
  ctx.lineWidth = 2;
  ctx.strokeRect(at.day * CELL.w - 2, at.hour * CELL.h - 2, CELL.w + 4, CELL.h + 4);
}
