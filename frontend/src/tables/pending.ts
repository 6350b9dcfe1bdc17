/** Changes that are not saved yet. Pure: each step makes a new state, so that the last steps can be taken back. */
import type { RefusedRow } from "../api/client.ts";
import { CUSTOM, same } from "./cells.ts";
import type { KindField } from "./shapes.ts";
import type { Entry } from "./entry.ts";

export interface Edit extends Entry {
  before: unknown;
  beforeText: string;
}

export type RowEdits = Readonly<Record<string, Edit>>;
/** By the row's id; rows that are new have negative ones. */
export type Edits = ReadonlyMap<number, RowEdits>;
/** What is wrong with a cell; "" is the row itself. */
export type Problems = ReadonlyMap<number, Readonly<Record<string, string>>>;

export interface Step {
  row: number;
  field: string;
  /** What the server has now. */
  before: unknown;
  beforeText: string;
  entry: Entry;
}

/** With these steps. A cell that is as it was before is no change any more. */
export function withSteps(edits: Edits, steps: Step[]): Edits {
  const next = new Map(edits);
  for (const { row, field, before, beforeText, entry } of steps) {
    const cells = { ...next.get(row) };
    const unchanged = !entry.problem && (same(entry.value, before) || (entry.text === beforeText && entry.text !== ""));
    if (unchanged) delete cells[field];
    else cells[field] = { ...entry, before, beforeText };
    if (Object.keys(cells).length || row < 0) next.set(row, cells);
    else next.delete(row);
  }
  return next;
}

export function without(edits: Edits, row: number, field?: string): Edits {
  const next = new Map(edits);
  const cells = { ...next.get(row) };
  if (field !== undefined) delete cells[field];
  if (field === undefined || (!Object.keys(cells).length && row > 0)) next.delete(row);
  else next.set(row, cells);
  return next;
}

/** Cells that changed and rows they are in; how many rows are new; cells that cannot be sent. */
export function counted(edits: Edits): { cells: number; rows: number; fresh: number; wrong: number } {
  const total = { cells: 0, rows: 0, fresh: 0, wrong: 0 };
  for (const [id, cells] of edits) {
    if (id < 0) total.fresh += 1;
    else total.rows += 1;
    for (const edit of Object.values(cells)) {
      if (id > 0) total.cells += 1;
      if (edit.problem) total.wrong += 1;
    }
  }
  return total;
}

/** The fields of a record as they are sent; custom fields go together. */
export function body(values: Record<string, unknown>): Record<string, unknown> {
  const sent: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (!name.startsWith(CUSTOM)) sent[name] = value;
    else sent.custom = { ...(sent.custom as object | undefined), [name.slice(CUSTOM.length)]: value };
  }
  return sent;
}

const valuesOf = (cells: RowEdits) => Object.fromEntries(Object.entries(cells).map(([name, edit]) => [name, edit.value]));

export function toPatch(edits: Edits): ({ id: number } & Record<string, unknown>)[] {
  return [...edits].filter(([id]) => id > 0).map(([id, cells]) => ({ id, ...body(valuesOf(cells)) }));
}

/** New rows in the order in which they stand; one that is still empty is not sent. */
export function toCreate(edits: Edits): { ids: number[]; rows: Record<string, unknown>[] } {
  const fresh = [...edits].filter(([id, cells]) => id < 0 && Object.keys(cells).length);
  return { ids: fresh.map(([id]) => id), rows: fresh.map(([, cells]) => body(valuesOf(cells))) };
}

/** The server's refusals at the cells they are about; what has no cell stands at the row. */
export function problemsOf(refused: RefusedRow[], ids: number[], fields: KindField[]): Problems {
  const known = new Set(fields.map((field) => field.name));
  const found = new Map<number, Record<string, string>>();
  for (const each of refused) {
    const id = ids[each.row - 1];
    if (id === undefined) continue;
    const cells = found.get(id) ?? {};
    for (const [name, reasons] of Object.entries(each.fields)) {
      const cell = known.has(name) ? name : "";
      const text = reasons.map((reason) => reason.reason).join(" ");
      cells[cell] = [cells[cell], cell === "" && name !== "id" ? `${name}: ${text}` : text].filter(Boolean).join(" ");
    }
    found.set(id, cells);
  }
  return found;
}

/** Without what was wrong with cells that were changed since. */
export function settled(problems: Problems, steps: { row: number; field: string }[]): Problems {
  if (!problems.size) return problems;
  const next = new Map(problems);
  for (const { row, field } of steps) {
    const cells = { ...next.get(row) };
    delete cells[field];
    delete cells[""];
    if (Object.keys(cells).length) next.set(row, cells);
    else next.delete(row);
  }
  return next;
}
