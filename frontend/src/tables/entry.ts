/** A row of any kind of record, whose fields are known at run time only. */
export type Row = { id: number } & Record<string, unknown>;

/** A value as it is sent, and as it is shown; a problem when it cannot be sent at all. */
export interface Entry {
  value: unknown;
  text: string;
  problem?: string;
}
