/** What is answered of a fleet over time, by short names. */
import type { Schemas } from "../api/schema.ts";

export type TrendSeries = Schemas["Series"];
export type Trends = Schemas["Trends"];
export type Lemon = Schemas["Lemon"];
export type Golden = Schemas["Golden"];
export type ReporterKind = Schemas["ReporterKind"];
export type Reporter = Schemas["ReportSource"];
export type WatchdogSign = Schemas["WatchdogSign"];
export type Watchdog = Schemas["Watchdog"];
export type MachineBrief = Schemas["MachineBrief"];
export type Bucket = Trends["bucket"];
export type What = TrendSeries["what"];
