/** Where a key leads from a cell. */
export interface Spot {
  row: number;
  column: number;
}

/** The spot a key leads to, within the table; null when the key does not move. */
export function moved(from: Spot, key: string, far: boolean, size: { rows: number; columns: number; page: number }): Spot | null {
  const last = { row: size.rows - 1, column: size.columns - 1 };
  const to = (row: number, column: number): Spot => ({
    row: Math.max(0, Math.min(row, last.row)),
    column: Math.max(0, Math.min(column, last.column)),
  });
  switch (key) {
    case "ArrowUp":
      return to(far ? 0 : from.row - 1, from.column);
    case "ArrowDown":
      return to(far ? last.row : from.row + 1, from.column);
    case "ArrowLeft":
      return to(from.row, far ? 0 : from.column - 1);
    case "ArrowRight":
      return to(from.row, far ? last.column : from.column + 1);
    case "Home":
      return to(far ? 0 : from.row, 0);
    case "End":
      return to(far ? last.row : from.row, last.column);
    case "PageUp":
      return to(from.row - size.page, from.column);
    case "PageDown":
      return to(from.row + size.page, from.column);
    default:
      return null;
  }
}

/** The rectangle between two spots. */
export function between(a: Spot, b: Spot): { from: Spot; to: Spot } {
  return {
    from: { row: Math.min(a.row, b.row), column: Math.min(a.column, b.column) },
    to: { row: Math.max(a.row, b.row), column: Math.max(a.column, b.column) },
  };
}
