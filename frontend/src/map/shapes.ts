/** What a cell looks like: fill, outline and a mark of its own, so that a state survives greyscale.
 *
 * Marks are SVG path strings: the canvas draws them through Path2D, a component as `<path>`. One picture, one source.
 */
import type { Cell, Verdict } from "../api/shapes.ts";
import type { Box } from "./geometry.ts";

/** A name in tokens.css without its dashes. */
export type Token = string;

export interface Mark {
  path: string;
  fill?: Token;
  stroke?: Token;
  width?: number;
}

export interface CellStyle {
  fill: Token | null;
  line: Token;
  /** Outline dashes in the unit of the box, or none. */
  dash: [number, number] | null;
  /** What can be read on the fill. */
  text: Token;
}

export const CELL_STYLE: Record<Cell, CellStyle> = {
  allocated: { fill: "cell-allocated", line: "cell-allocated-line", dash: null, text: "ink" },
  available: { fill: "cell-available", line: "cell-available-line", dash: null, text: "ink" },
  suspect: { fill: "cell-suspect", line: "cell-suspect-line", dash: null, text: "cell-suspect-mark" },
  failed: { fill: "cell-failed", line: "cell-failed-line", dash: null, text: "cell-failed-mark" },
  drained: { fill: "cell-drained", line: "cell-drained-line", dash: null, text: "cell-drained-mark" },
  repair: { fill: "cell-repair", line: "cell-repair-line", dash: null, text: "cell-repair-mark" },
  provisioning: { fill: "cell-provisioning", line: "cell-provisioning-line", dash: null, text: "ink" },
  off: { fill: "cell-off", line: "cell-off-line", dash: null, text: "ink" },
  no_signal: { fill: null, line: "cell-no-signal-line", dash: [2.2, 1.8], text: "ink" },
};

const n = (value: number): string => value.toFixed(2);

export function cellMarks(cell: Cell, box: Box): Mark[] {
  const cx = box.x + box.w / 2;
  const cy = box.y + box.h / 2;
  const k = Math.min(box.w, box.h) / 2;
  switch (cell) {
    case "allocated":
    case "available":
      return [];
    case "suspect":
      return [
        {
          path: `M${n(cx)} ${n(cy - k * 0.72)}l${n(k * 0.84)} ${n(k * 1.4)}h${n(-k * 1.68)}z`,
          fill: "cell-suspect-mark",
        },
      ];
    case "failed": {
      const a = k * 0.6;
      return [
        {
          path: `M${n(cx - a)} ${n(cy - a)}L${n(cx + a)} ${n(cy + a)}M${n(cx + a)} ${n(cy - a)}L${n(cx - a)} ${n(cy + a)}`,
          stroke: "cell-failed-mark",
          width: k * 0.42,
        },
      ];
    }
    case "drained": {
      // The two bars of a pause: taken out on purpose, and whole.
      const bar = k * 0.3;
      const one = (x: number) => `M${n(x)} ${n(cy - k * 0.6)}v${n(k * 1.2)}`;
      return [{ path: one(cx - bar) + one(cx + bar), stroke: "cell-drained-mark", width: k * 0.3 }];
    }
    case "repair": {
      const a = k * 0.8;
      return [
        {
          path: `M${n(cx)} ${n(cy - a)}L${n(cx + a)} ${n(cy)}L${n(cx)} ${n(cy + a)}L${n(cx - a)} ${n(cy)}Z`,
          fill: "cell-repair-mark",
        },
      ];
    }
    case "provisioning": {
      const bars = [1, 2, 3, 4].map((i) => `M${n(box.x + (box.w * i) / 5)} ${n(cy - box.h * 0.3)}v${n(box.h * 0.6)}`);
      return [{ path: bars.join(""), stroke: "cell-provisioning-line", width: Math.min(box.w * 0.055, box.h * 0.1) }];
    }
    case "off":
      return [{ path: `M${n(cx - k * 0.9)} ${n(cy)}h${n(k * 1.8)}`, stroke: "cell-off-line", width: k * 0.34 }];
    case "no_signal": {
      const r = k * 0.36;
      const ring = `M${n(cx - r)} ${n(cy)}a${n(r)} ${n(r)} 0 1 0 ${n(2 * r)} 0a${n(r)} ${n(r)} 0 1 0 ${n(-2 * r)} 0`;
      return [{ path: ring, stroke: "cell-no-signal-line", width: k * 0.17 }];
    }
  }
}

/** What a machine of a coloured group looks like: a colour, and its number as a mark, so that it survives greyscale. */
export const groupStyle = (group: number): CellStyle => ({ fill: group ? `group-${group}` : "line-2", line: "line-3", dash: null, text: "ink" });

/** Steps of a scale; the upper half is read in the colour of the paper. */
export const STEPS = 6;
export const stepStyle = (step: number): CellStyle => ({ fill: `step-${step}`, line: "line-3", dash: null, text: step > STEPS / 2 ? "step-ink" : "ink" });

/** The strokes of a digit in a field one wide and two high: top, upper right, lower right, bottom, lower left, upper left, middle. */
const STROKES = ["M0 0h1", "M1 0v1", "M1 1v1", "M0 2h1", "M0 1v1", "M0 0v1", "M0 1h1"];
const DIGITS = ["", "12", "01643", "01623", "5612", "05623", "056432", "012", "0123456"];
/** Below this height, in pixels, a digit is noise. */
const DIGIT_PX = 9;

export function groupMarks(group: number, box: Box): Mark[] {
  if (!group || box.h < DIGIT_PX) return [];
  const half = Math.min(box.h * 0.3, box.w * 0.3);
  const at = (text: string) =>
    text.replace(/M(\d) (\d)([hv])1/, (_, x: string, y: string, way: string) =>
      `M${n(box.x + box.w / 2 + (Number(x) - 0.5) * half)} ${n(box.y + box.h / 2 + (Number(y) - 1) * half)}${way}${n(half)}`,
    );
  return [{ path: [...DIGITS[group]!].map((stroke) => at(STROKES[Number(stroke)]!)).join(""), stroke: "ink", width: Math.max(half * 0.3, 1) }];
}

/** A cell with a number on it: a broken part keeps its number, and its mark beside or above it (pixels of the drawing). */
export function numberedCell(cell: Cell, box: Box, size: number): { x: number; baseline: number; mark: Box } {
  // Capital figures are 0.73 em high; the baseline is half of that under the middle.
  const drop = size * 0.365;
  const whole = { x: box.x + box.w / 2, baseline: box.y + box.h / 2 + drop, mark: box };
  if (!cellMarks(cell, box).length) return whole;
  if (box.w >= size * 1.9) {
    const side = Math.min(box.w * 0.45, box.h * 0.8, size * 1.1);
    const mark = { x: box.x + box.w - side - box.w * 0.06, y: box.y + (box.h - side) / 2, w: side, h: side };
    return { x: (box.x + mark.x) / 2, baseline: whole.baseline, mark };
  }
  const side = Math.min(Math.max(box.h - size, 0) * 0.75, box.w * 0.7);
  return { x: whole.x, baseline: box.y + box.h - size * 0.22, mark: { x: whole.x - side / 2, y: box.y + side * 0.15, w: side, h: side } };
}

/** A part (GPU, port) wears the cell that matches its verdict; one never checked is drawn as no signal. */
export function cellOfVerdict(verdict: Verdict | null): Cell {
  if (verdict === "fail") return "failed";
  if (verdict === "warn") return "suspect";
  if (verdict === "ok" || verdict === "info") return "allocated";
  return "no_signal";
}
