/** Machines by checks as a grid: what is shown, in words, and where arrow keys lead. Pure. */
import type { Cell, Verdict } from "../api/shapes.ts";
import { plural, VERDICT_WORD } from "../text.ts";
import type { MatrixDocument } from "./shapes.ts";

/** What a letter of a row stands for; null where the check has nothing to judge at that machine. */
const VERDICT_OF: Record<string, Verdict> = { f: "fail", u: "unknown", w: "warn", i: "info", o: "ok" };
export const verdictAt = (cells: string, column: number): Verdict | null => VERDICT_OF[cells[column] ?? "."] ?? null;

/** The shapes of machine states serve here too, so that each verdict survives greyscale. */
export const VERDICT_LOOK: Record<Verdict, Cell> = { fail: "failed", unknown: "no_signal", warn: "suspect", info: "available", ok: "allocated" };

export const BAD: ReadonlySet<Verdict> = new Set<Verdict>(["fail", "unknown", "warn"]);

export interface MatrixColumn {
  id: string;
  title: string;
  family: string;
  /** Whether a family begins here. */
  first: boolean;
  /** Where its letter stands in a machine's cells. */
  letter: number;
}

export interface MatrixRow {
  id: number;
  name: string;
  state: string;
  cells: string;
}

export interface Grid {
  columns: MatrixColumn[];
  rows: MatrixRow[];
}

export interface MatrixFilter {
  family: string;
  state: string;
  search: string;
  /** Only machines, and only checks, with something not well. */
  bad: boolean;
}

export function gridOf(matrix: MatrixDocument, filter: MatrixFilter): Grid {
  const wanted = filter.search.trim().toLowerCase();
  const everyColumn = byFamily(matrix.checks.map((check, letter) => ({ ...check, letter }))).filter((check) => !filter.family || check.family === filter.family);
  const byCheck = everyColumn.filter((check) => wanted && `${check.id} ${check.title}`.toLowerCase().includes(wanted));
  const byName = matrix.machines.filter((machine) => machine.name.toLowerCase().includes(wanted));
  // What is searched may be a machine or a check; where names match, all their checks are shown.
  const columnsWanted = wanted && !byName.length ? byCheck : everyColumn;
  const rowsWanted = (wanted && byName.length ? byName : wanted && !byCheck.length ? [] : matrix.machines).filter((machine) => !filter.state || machine.state === filter.state);
  const isBad = (machine: MatrixRow, letter: number) => BAD.has(verdictAt(machine.cells, letter) ?? "ok");
  const rows = filter.bad ? rowsWanted.filter((machine) => columnsWanted.some((check) => isBad(machine, check.letter))) : rowsWanted;
  const columns = filter.bad ? columnsWanted.filter((check) => rows.some((machine) => isBad(machine, check.letter))) : columnsWanted;
  return { columns: columns.map((check, i) => ({ ...check, first: check.family !== columns[i - 1]?.family })), rows };
}

/** The checks of a family side by side, families in the order in which they come first. */
function byFamily<T extends { family: string }>(checks: T[]): T[] {
  const families = new Map<string, T[]>();
  for (const check of checks) families.set(check.family, [...(families.get(check.family) ?? []), check]);
  return [...families.values()].flat();
}

export interface Place {
  row: number;
  column: number;
}

/** The square a key leads to, within the grid; null for other keys. A page is as many rows as are in sight. */
export function walk(grid: Grid, from: Place, key: string, page: number): Place | null {
  const last = { row: grid.rows.length - 1, column: grid.columns.length - 1 };
  const to: Record<string, Place> = {
    ArrowLeft: { row: from.row, column: from.column - 1 },
    ArrowRight: { row: from.row, column: from.column + 1 },
    ArrowUp: { row: from.row - 1, column: from.column },
    ArrowDown: { row: from.row + 1, column: from.column },
    Home: { row: from.row, column: 0 },
    End: { row: from.row, column: last.column },
    PageUp: { row: from.row - page, column: from.column },
    PageDown: { row: from.row + page, column: from.column },
  };
  const place = to[key];
  if (!place || last.row < 0 || last.column < 0) return null;
  return { row: Math.min(Math.max(place.row, 0), last.row), column: Math.min(Math.max(place.column, 0), last.column) };
}

/** `hgx-a01-01, GPU temperature: Warning`. */
export function squareWords(grid: Grid, { row, column }: Place): string {
  const [machine, check] = [grid.rows[row], grid.columns[column]];
  if (!machine || !check) return "";
  const verdict = verdictAt(machine.cells, check.letter);
  return `${machine.name}, ${check.title}: ${verdict ? VERDICT_WORD[verdict] : "not evaluated"}`;
}

/** How many squares of the grid say what. */
export function counts(grid: Grid): Record<Verdict, number> {
  const found: Record<Verdict, number> = { fail: 0, unknown: 0, warn: 0, info: 0, ok: 0 };
  for (const machine of grid.rows) {
    for (const check of grid.columns) {
      const verdict = verdictAt(machine.cells, check.letter);
      if (verdict) found[verdict] += 1;
    }
  }
  return found;
}

export interface BadMachine {
  id: number;
  name: string;
  verdict: Verdict;
}

export interface BadCheck {
  check: MatrixColumn;
  machines: BadMachine[];
}

/** The machines that are not well at the check with this letter, failures first. */
export function badMachines(machines: Pick<MatrixRow, "id" | "name" | "cells">[], letter = 0): BadMachine[] {
  return machines
    .map(({ id, name, cells }) => ({ id, name, verdict: verdictAt(cells, letter) }))
    .filter((machine): machine is BadMachine => machine.verdict !== null && BAD.has(machine.verdict))
    .sort((a, b) => rank(a.verdict) - rank(b.verdict));
}

/** For a narrow screen: what is not well, by check; the check that fails at most machines comes first. */
export function badByCheck(grid: Grid): BadCheck[] {
  const found = grid.columns.map((check) => ({ check, machines: badMachines(grid.rows, check.letter) }));
  const weight = ({ machines }: BadCheck) => machines.filter((machine) => machine.verdict === "fail").length * 10_000 + machines.length;
  return found.filter((each) => each.machines.length).sort((a, b) => weight(b) - weight(a));
}

const ORDER = Object.values(VERDICT_OF);
const rank = (verdict: Verdict): number => ORDER.indexOf(verdict);

/** `3 fail, 1 warning` of the machines of one check. */
export function badWords(machines: BadMachine[]): string {
  return ORDER.map((verdict) => ({ verdict, count: machines.filter((machine) => machine.verdict === verdict).length }))
    .filter(({ count }) => count)
    .map(({ verdict, count }) => `${count} ${VERDICT_WORD[verdict].toLowerCase()}`)
    .join(", ");
}

export const shownWords = (grid: Grid): string => `${plural(grid.rows.length, "machine")} × ${plural(grid.columns.length, "check")}`;
