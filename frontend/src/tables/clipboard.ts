/** Cells of a table out to the clipboard and in from it; both say in words what happened. */
import { plural } from "../text.ts";
import { editable, parse, valueOf } from "./cells.ts";
import type { between } from "./keys.ts";
import { readBlock, spread, writeBlock } from "./paste.ts";
import type { Table } from "./table.svelte.ts";
import type { Entry, Row } from "./entry.ts";
import type { KindField } from "./shapes.ts";

type Range = ReturnType<typeof between>;
export interface Step {
  row: Row;
  field: KindField;
  entry: Entry;
}

export function cellsIn(table: Table, fields: KindField[], { from, to }: Range): { row: Row; field: KindField }[] {
  const found: { row: Row; field: KindField }[] = [];
  for (let y = from.row; y <= to.row; y += 1) {
    const row = table.rowAt(y);
    if (row) for (const field of fields.slice(from.column, to.column + 1)) found.push({ row, field });
  }
  return found;
}

/** Cells of the range as text for a spreadsheet. */
export function copied(table: Table, fields: KindField[], range: Range): { text: string; said: string } {
  const chosen = fields.slice(range.from.column, range.to.column + 1);
  const lines: string[][] = [];
  for (let y = range.from.row; y <= range.to.row; y += 1) {
    const row = table.rowAt(y);
    if (row) lines.push(chosen.map((field) => table.shown(row, field).text));
  }
  return { text: writeBlock(lines), said: lines.length === 1 && chosen.length === 1 ? "Copied." : `Copied ${lines.length} × ${chosen.length} cells.` };
}

/** Put a block into the range, as pending changes. A block that starts in a new row makes as many new rows as it needs. */
export function pasted(table: Table, fields: KindField[], range: Range, text: string): string {
  const block = readBlock(text);
  if (!block.length) return "There is no text on the clipboard.";
  const drafts = table.drafts.length;
  const short = range.from.row < drafts ? range.from.row + block.length - drafts : 0;
  if (short > 0) table.addDrafts(short);
  const steps: Step[] = [];
  let lost = 0;
  for (const target of spread(block, range.from, short > 0 ? range.from : range.to)) {
    const field = fields[target.column];
    const row = table.rowAt(target.row);
    if (!field || !row || !editable(table.kind, field)) lost += 1;
    else steps.push({ row, field, entry: parse(field, target.text, valueOf(field, row)) });
  }
  table.put(steps);
  return `Pasted ${plural(steps.length, "cell")}.${lost ? ` ${lost} had no place: read-only, or beyond the last row or column.` : ""}`;
}

/** The first row of the range into the rows below it. */
export function filledDown(table: Table, fields: KindField[], range: Range): void {
  const source = table.rowAt(range.from.row);
  if (!source) return;
  const entryOf = (field: KindField): Entry => {
    const shown = table.shown(source, field);
    return shown.edit ?? { value: valueOf(field, source), text: shown.text };
  };
  table.put(cellsIn(table, fields, range).flatMap(({ row, field }) => (row === source ? [] : [{ row, field, entry: entryOf(field) }])));
}

export function cleared(table: Table, fields: KindField[], range: Range): void {
  table.put(cellsIn(table, fields, range).map(({ row, field }) => ({ row, field, entry: parse(field, "", valueOf(field, row)) })));
}
