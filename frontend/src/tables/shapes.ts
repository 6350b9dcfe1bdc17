/** What the server says of its kinds of records, and rows of one of them. */
import type { Schemas } from "../api/schema.ts";

export type KindField = Schemas["KindField"];
export type Kind = Schemas["KindDescription"];
export type FieldType = KindField["type"];
