/** Which rows of a long list are in sight, and how tall what stands above and below them is. */
export interface RowWindow {
  first: number;
  /** One past the last row. */
  end: number;
  above: number;
  below: number;
}

export function rowWindow(count: number, rowHeight: number, scrollTop: number, viewHeight: number, spare = 8): RowWindow {
  const first = Math.max(0, Math.min(Math.floor(scrollTop / rowHeight) - spare, count));
  const end = Math.min(count, Math.ceil((scrollTop + viewHeight) / rowHeight) + spare);
  return { first, end, above: first * rowHeight, below: (count - end) * rowHeight };
}
