/** What the server tells of its kinds of records (`GET /api/kinds/`), and rows of one of them. */

export type FieldType =
  | "text" | "integer" | "number" | "boolean" | "choice" | "date" | "datetime" | "reference" | "list" | "object";

export interface KindField {
  name: string;
  type: FieldType;
  title: string;
  help: string;
  required: boolean;
  read_only: boolean;
  nullable: boolean;
  choices?: string[];
  /** Name of the kind it leads to. */
  references?: string;
  unit?: string;
  /** Lookups its filter has: "" is equality, "gte" at least; none when it cannot be filtered. */
  lookups: string[];
  /** Whether a list can be ordered by it. */
  ordered: boolean;
}

export interface Kind {
  name: string;
  title: string;
  key: string[];
  fields: KindField[];
  may_write: boolean;
}

export type Row = { id: number } & Record<string, unknown>;

/** A value as it is sent, and as it is shown; a problem when it cannot be sent at all. */
export interface Entry {
  value: unknown;
  text: string;
  problem?: string;
}
