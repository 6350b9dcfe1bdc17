/** What automation answers, by short names. */
import type { Schemas } from "../api/schema.ts";

export type ActiveKind = Schemas["ActiveKind"];
export type ActiveRun = Schemas["ActiveRun"];
export type Conclusion = Schemas["Conclusion"];
export type ActiveWindow = Schemas["ActiveWindow"];
export type Scheduler = Schemas["Scheduler"];
export type Automation = Schemas["Automation"];
export type Limit = Schemas["Limit"];
export type Budget = Schemas["Budget"];
export type PlanRow = Schemas["PlanRow"];
export type Remedy = Schemas["Remedy"];
export type RemedySwitch = Schemas["Switch"];
export type Action = Schemas["Action"];
export type Offer = Schemas["RemedyByHand"];
export type Incident = Schemas["MachineIncident"];
export type AllowedHours = Schemas["Window"];
export type Pool = Schemas["Pool"];
export type FaultClass = Schemas["FaultClass"];
export type ActivePlan = Schemas["ActivePlan"];
export type ActionState = Schemas["ActionState"];
export type ActiveState = Schemas["RunStatus"];
