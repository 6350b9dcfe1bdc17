/** One table on screen: its rows, what is chosen, and what is changed but not saved. */
import { ApiError } from "../api/client.ts";
import { toast } from "../stores/toast.svelte.ts";
import { plural } from "../text.ts";
import * as calls from "./calls.ts";
import { answerFields, editable, parse, shownText, valueOf } from "./cells.ts";
import * as pending from "./pending.ts";
import { TableRows } from "./rows.svelte.ts";
import type { Kind, KindField } from "./shapes.ts";
import type { Entry, Row } from "./entry.ts";

/** Steps that can be taken back before saving. */
const KEPT_STEPS = 100;
/** The server takes so many rows in one request. */
const MOST_ROWS = 20_000;

export interface Shown {
  text: string;
  edit: pending.Edit | null;
  problem: string;
}

export class Table {
  readonly rows = new TableRows();
  edits = $state.raw<pending.Edits>(new Map());
  problems = $state.raw<pending.Problems>(new Map());
  chosen = $state.raw<ReadonlySet<number>>(new Set());
  saving = $state(false);
  error = $state<unknown>(null);
  /** States before the last steps. */
  past = $state.raw<pending.Edits[]>([]);
  /** When our own write was done; news that come with it are no news. */
  wroteAt = 0;
  private nextDraft = -1;

  constructor(readonly kind: Kind) {}

  /** New rows stand above those of the server, the latest last. */
  readonly drafts = $derived([...this.edits.keys()].filter((id) => id < 0));
  readonly total = $derived(this.drafts.length + (this.rows.count ?? 0));
  readonly counted = $derived(pending.counted(this.edits));
  readonly dirty = $derived(this.edits.size > 0);

  rowAt(index: number): Row | undefined {
    const draft = this.drafts[index];
    return draft === undefined ? this.rows.at(index - this.drafts.length) : { id: draft };
  }

  shown(row: Row, field: KindField): Shown {
    const edit = this.edits.get(row.id)?.[field.name] ?? null;
    const problem = edit?.problem ?? this.problems.get(row.id)?.[field.name] ?? "";
    return { text: edit ? edit.text : row.id < 0 ? "" : shownText(field, row), edit, problem };
  }

  rowProblem(row: Row): string {
    return this.problems.get(row.id)?.[""] ?? "";
  }

  /** Keep these entries as pending changes. */
  put(entries: { row: Row; field: KindField; entry: Entry }[]): void {
    const steps = entries
      .filter(({ field }) => editable(this.kind, field))
      .map(({ row, field, entry }) => ({
        row: row.id,
        field: field.name,
        before: row.id < 0 ? null : valueOf(field, row),
        beforeText: row.id < 0 ? "" : shownText(field, row),
        entry,
      }));
    if (!steps.length) return;
    this.remember();
    this.edits = pending.withSteps(this.edits, steps);
    this.problems = pending.settled(this.problems, steps);
  }

  putText(row: Row, field: KindField, text: string): void {
    this.put([{ row, field, entry: parse(field, text, valueOf(field, row)) }]);
  }

  addDrafts(count: number): void {
    this.remember();
    const next = new Map(this.edits);
    for (let made = 0; made < count; made += 1) {
      next.set(this.nextDraft, {});
      this.nextDraft -= 1;
    }
    this.edits = next;
  }

  discard(row: number, field?: string): void {
    this.remember();
    this.edits = pending.without(this.edits, row, field);
    this.problems = pending.settled(this.problems, [{ row, field: field ?? "" }]);
  }

  discardAll(): void {
    this.remember();
    this.edits = new Map();
    this.problems = new Map();
    this.error = null;
  }

  /** Take back the last step that is not saved. */
  stepBack(): void {
    const before = this.past.at(-1);
    if (!before) return;
    this.past = this.past.slice(0, -1);
    this.edits = before;
    this.problems = new Map();
  }

  private remember(): void {
    this.past = [...this.past, this.edits].slice(-KEPT_STEPS);
  }

  // ---- choosing rows ----

  choose(ids: number[], on: boolean): void {
    const next = new Set(this.chosen);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    this.chosen = next;
  }

  async chooseAll(): Promise<void> {
    this.chosen = new Set(await this.rows.ids());
  }

  // ---- writing ----

  /** Save all changes: one request for those that change and one for those that are new. Tells whether all went well. */
  async save(columns: KindField[]): Promise<boolean> {
    if (this.saving || !this.dirty) return false;
    this.saving = true;
    this.error = null;
    const fields = answerFields(columns);
    const requests: string[] = [];
    const words: string[] = [];
    try {
      const changed = pending.toPatch(this.edits);
      if (changed.length > MOST_ROWS) throw new Error(`At most ${MOST_ROWS.toLocaleString("en")} rows are saved at once; import a file instead.`);
      if (changed.length) {
        const answer = await this.told(changed.map((row) => row.id), calls.change(this.kind.name, changed, fields));
        requests.push(answer.requestId);
        words.push(`${plural(changed.length, "row")} changed`);
        this.rows.put(answer.rows);
        this.edits = new Map([...this.edits].filter(([id]) => id < 0));
      }
      const fresh = pending.toCreate(this.edits);
      if (fresh.rows.length) {
        const answer = await this.told(fresh.ids, calls.create(this.kind.name, fresh.rows, fields));
        requests.push(answer.requestId);
        words.push(`${plural(fresh.rows.length, "row")} added`);
      }
      this.edits = new Map();
      this.problems = new Map();
      this.done(requests, words, fresh.rows.length > 0);
      return true;
    } catch (error) {
      if (requests.length) this.done(requests, words, false);
      this.error = error;
      return false;
    } finally {
      this.past = [];
      this.saving = false;
    }
  }

  /** Delete rows of the server; drafts are just dropped. Raises what the server refuses. */
  async remove(ids: number[]): Promise<void> {
    const answer = await this.told(ids, calls.remove(this.kind.name, ids));
    this.choose(ids, false);
    this.edits = new Map([...this.edits].filter(([id]) => !ids.includes(id)));
    this.done([answer.requestId], [`${plural(ids.length, "row")} deleted`], true);
  }

  private async told<T>(ids: number[], write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      if (error instanceof ApiError) this.problems = pending.problemsOf(error.rows, ids, this.kind.fields);
      throw error;
    }
  }

  private done(requests: string[], words: string[], reload: boolean): void {
    this.wroteAt = Date.now();
    const text = words.join(", ");
    toast.show(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`, {
      word: "Undo",
      run: async () => {
        await calls.takeBack(requests);
        this.wroteAt = Date.now();
        this.reload();
        return "Undone.";
      },
    });
    if (reload) this.reload();
  }

  /** Fetch the rows again; the page that asks them sets it. */
  reload: () => void = () => undefined;
}

/** Tables with changes that are not saved: they are still there when one comes back to the page. */
const kept = new Map<string, Table>();

export function tableOf(kind: Kind): Table {
  const before = kept.get(kind.name);
  if (before?.dirty) return before;
  const table = new Table(kind);
  kept.set(kind.name, table);
  return table;
}
