import type { Schemas } from "../api/schema.ts";

export type Annotation = Schemas["Annotations"];
