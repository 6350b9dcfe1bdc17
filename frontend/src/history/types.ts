/** What the history answers: one change is one transaction of one actor. */

export interface ChangedRow {
  kind: string;
  object: number | null;
  name: string;
  action: "created" | "changed" | "deleted";
  fields: Record<string, { before: unknown; after: unknown }>;
}

export interface Change {
  id: number;
  at: string;
  actor: string;
  actor_kind: string;
  /** With `did` a sentence: who did what to which thing. */
  who: string;
  did: string;
  source: string;
  request_id: string;
  note: string;
  site: number | null;
  entries: ChangedRow[];
  more_entries: number;
  undoable: boolean;
  undo_refused: string;
  undone_by: number | null;
  undoes: number | null;
}

/** A field that no longer is as the change left it. */
export interface Difference {
  kind: string;
  object: number | null;
  name: string;
  field: string;
  expected: unknown;
  current: unknown;
  by: string;
  at: string | null;
}
