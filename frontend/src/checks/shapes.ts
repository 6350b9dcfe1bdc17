/** What checks answer, by short names. */
import type { Schemas } from "../api/schema.ts";

export type CatalogueItem = Schemas["Catalogue"];
export type Override = Schemas["Override"];
export type Silence = Schemas["Silence"];
export type AuditMode = Schemas["AuditMode"];
export type MatrixDocument = Schemas["CheckMatrix"];
export type Sweep = Schemas["Sweep"];
export type KernelLine = Schemas["KernelLine"];
export type TimelineItem = Schemas["TimelineItem"];
export type Timeline = Schemas["Timeline"];
export type Scope = Schemas["DecisionScope"];
export type SweepStatus = Schemas["SweepStatus"];
export type LineState = Schemas["KernelLineState"];
export type Lane = Schemas["TimelineLane"];
export type SweptMachine = Schemas["SweptMachine"];
export type Named = Schemas["Named"];
