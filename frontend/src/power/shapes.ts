/** What the service answers about power and cooling, by short names. */
import type { paths } from "../api/generated/openapi.d.ts";
import type { Schemas } from "../api/schema.ts";

export type Named = Schemas["Named"];
/** Of a rack, a feed or a link, against its limit. */
export type LoadState = Schemas["LoadState"];
export type RoomLeft = Schemas["RoomLeft"];
export type RackRoom = RoomLeft["racks"][number];
export type GpuBand = Schemas["GpuBand"];
export type Severity = Schemas["FindingSeverity"];
export type Finding = Schemas["MeasuredFinding"];

export type FloorRack = Schemas["FloorRack"];
export type PowerFloor = Schemas["PowerFloor"];

export type RackPower = Schemas["MeasuredRack"];
export type RackFeed = Schemas["RackStrip"];
export type Height = Schemas["Height"];
export type ProfilePoint = Schemas["Profile"];
export type Gap = Schemas["OpenGap"];
/** Where the watts of a rack come from: its PDUs, its BMCs, some of each, or nowhere. */
export type Method = Schemas["PowerMethod"];

/** Means, lows and highs of one value, a point every `step_s`; null where nothing was measured. */
export type History = Schemas["History"];
/** What has a history of each rack. */
export type RackQuantity = paths["/api/facility/racks/{id}/history/"]["get"]["parameters"]["query"]["quantity"];
export type Year = Schemas["Year"];

export type FeedItem = Schemas["MeasuredFeed"];
export type FeedPower = Schemas["FeedDiagram"];
export type FeedLink = Schemas["FeedLink"];
export type Carries = Schemas["FeedCarries"];

export type EnergyBy = Schemas["EnergyBy"];
export type Energy = Schemas["Energy"];
export type EnergyRow = Schemas["EnergyRow"];
export type PueHour = Schemas["PueHour"];

export type WhatIf = Schemas["WhatIf"];
export type WhatIfRack = Schemas["WhatIfRack"];

export type MeterState = Schemas["MeterState"];
export type MeterKind = Schemas["MeterKind"];
export type Meter = Schemas["Meter"];
/** What is sent of a meter: places by their id. */
export type MeterBody = Schemas["MeterRequest"];
export type MeterValue = Schemas["MeterValue"];

export type Policy = Schemas["Policy"];

export type Proposal = Schemas["Proposal"];
export type ProposalStep = Schemas["ProposalStep"];
