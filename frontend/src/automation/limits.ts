/** Limits as people read them: shares in percent, groups in the order of the API. */
import type { Limit } from "./shapes.ts";

const isShare = (row: Pick<Limit, "unit">): boolean => row.unit === "share";

export const limitUnit = (row: Pick<Limit, "unit">): string => (isShare(row) ? "%" : row.unit);

/** The number in the field: 5 for a share of 0.05. */
export const limitNumber = (row: Pick<Limit, "unit">, value: number): number => (isShare(row) ? Math.round(value * 1e6) / 1e4 : value);

export const limitShown = (row: Pick<Limit, "unit">, value: number): string => limitNumber(row, value).toLocaleString("en");

export const limitFromShown = (row: Pick<Limit, "unit">, shown: number): number => (isShare(row) ? Math.round(shown * 1e4) / 1e6 : shown);

export function limitGroups(rows: Limit[]): { group: string; limits: Limit[] }[] {
  const groups = [...new Set(rows.map((row) => row.group))];
  return groups.map((group) => ({ group, limits: rows.filter((row) => row.group === group) }));
}

/** What was changed, and only that: the others stay as somebody else may have set them meanwhile. */
export const limitsChanged = (rows: Limit[], wanted: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(wanted).filter(([name, value]) => rows.some((row) => row.name === name && row.value !== value)));
