/** The leaf and rail matrix as a grid to draw and to walk by arrow keys. Pure. */
import type { Cell } from "../api/shapes.ts";
import { plural } from "../text.ts";
import type { Leaf, LinkState, Matrix, MatrixCell } from "./shapes.ts";
import { LINK_STATE_WORD } from "./words.ts";

export interface Square {
  leaf: Leaf;
  rail: number;
  cell: MatrixCell;
}

export interface Grid {
  /** `leaf`: one row each. `pod`: leaves that serve a single rail stand side by side, a row for each pod. */
  by: "leaf" | "pod";
  rails: number[];
  rows: { name: string; note: string; squares: (Square | null)[] }[];
}

/** Where each leaf serves one rail, a row per leaf would be almost empty: then rows are pods. */
export function gridOf(matrix: Matrix): Grid {
  const served = matrix.leaves.map((leaf, i) =>
    (matrix.cells[i] ?? []).flatMap((cell, r) => (cell ? [{ leaf, rail: matrix.rails[r] ?? 0, cell }] : [])),
  );
  if (matrix.rails.length > 1 && served.every((squares) => squares.length <= 1)) {
    return { by: "pod", rails: matrix.rails, rows: podRows(matrix.rails, served.flat()) };
  }
  const rows = matrix.leaves.map((leaf, i) => ({
    name: leaf.name,
    note: placeWords(leaf),
    squares: matrix.rails.map((rail) => served[i]?.find((square) => square.rail === rail) ?? null),
  }));
  return { by: "leaf", rails: matrix.rails, rows };
}

function podRows(rails: number[], squares: Square[]): Grid["rows"] {
  const rows: Grid["rows"] = [];
  for (const pod of [...new Set(squares.map((square) => square.leaf.pod))].sort((a, b) => (a ?? Infinity) - (b ?? Infinity))) {
    const columns = rails.map((rail) => squares.filter((square) => square.leaf.pod === pod && square.rail === rail));
    const depth = Math.max(...columns.map((column) => column.length));
    for (let i = 0; i < depth; i++) {
      rows.push({ name: pod === null ? "no pod" : String(pod), note: depth > 1 ? `${i + 1} of ${depth}` : "", squares: columns.map((column) => column[i] ?? null) });
    }
  }
  return rows;
}

/** `Row B · rack B04 · U38`. */
export const placeWords = ({ place }: Leaf): string =>
  [place.row && `Row ${place.row}`, place.rack && `rack ${place.rack}`, place.u !== null && `U${place.u}`].filter(Boolean).join(" · ");

/** The shapes of machine states serve here too, so that each state survives greyscale. */
export const MATRIX_LOOK: Record<LinkState, Cell> = {
  correct: "allocated",
  wrong: "failed",
  missing: "repair",
  slow: "suspect",
  extra: "provisioning",
  dark: "off",
  off: "off",
  unknown: "no_signal",
};

/** `leaf-3-2, rail 4: 30 of 32 links as planned, 2 missing`. */
export function squareWords({ leaf, rail, cell }: Square): string {
  const total = Object.entries(cell.counts).reduce((sum, [state, count]) => sum + (state === "extra" ? 0 : count), 0);
  const parts = (Object.keys(LINK_STATE_WORD) as LinkState[])
    .filter((state) => state !== "correct" && cell.counts[state])
    .map((state) => `${cell.counts[state]} ${LINK_STATE_WORD[state]}`);
  return `${leaf.name}, rail ${rail}: ${[`${cell.counts.correct ?? 0} of ${plural(total, "link")} as planned`, ...parts].join(", ")}`;
}

/** The square an arrow key leads to, over holes, or null at the edge. */
export function step(grid: Grid, from: { row: number; column: number }, key: string): { row: number; column: number } | null {
  const moves: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const [dr, dc] = moves[key] ?? [0, 0];
  if (!dr && !dc) return null;
  let { row, column } = from;
  for (;;) {
    row += dr;
    column += dc;
    if (row < 0 || column < 0 || row >= grid.rows.length || column >= grid.rails.length) return null;
    if (grid.rows[row]?.squares[column]) return { row, column };
  }
}
