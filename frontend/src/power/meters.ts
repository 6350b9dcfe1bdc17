/** A meter in a form: which fields its kind has, and the options as JSON. Pure. */
import { humanise } from "../text.ts";
import type { Meter, MeterBody } from "./shapes.ts";

export type PlaceKind = "device" | "rack" | "room" | "site";

export interface MeterKind {
  kind: string;
  word: string;
  /** What it hangs on. */
  place: PlaceKind;
  /** An address of its own; a machine is reached as it is anyway. */
  address: string;
  options: string;
  says: string;
}

export const METER_KINDS: readonly MeterKind[] = [
  { kind: "pdu", word: "PDU", place: "device", address: "10.4.0.17", options: "", says: "A rack PDU, asked by SNMP or Redfish." },
  { kind: "machine", word: "Machine", place: "device", address: "", options: "", says: "A machine, through its BMC and probe." },
  { kind: "cooling", word: "Cooling unit", place: "device", address: "https://cdu.example.org", options: "", says: "A cooling unit, asked by Redfish." },
  { kind: "sensors", word: "Room sensors", place: "room", address: "10.4.0.40", options: "", says: "Sensors of the air in a room or a rack, asked by SNMP." },
  { kind: "modbus", word: "Site meter, Modbus/TCP", place: "site", address: "10.4.0.9:502", options: '{"unit": 1, "registers": [{"part": "total", "name": "site", "quantity": "power_w", "address": 3060, "type": "float32"}]}', says: "A meter of the whole site, for PUE. The options list its registers." },
  { kind: "prometheus", word: "Site meter, Prometheus", place: "site", address: "https://prometheus.example.org", options: '{"queries": [{"part": "total", "name": "site", "quantity": "power_w", "query": "sum(site_power_watts)"}]}', says: "Asked at a Prometheus server, for PUE. The options list the queries." },
];
export const kindOf = (kind: string): MeterKind => METER_KINDS.find((each) => each.kind === kind) ?? { ...METER_KINDS[0]!, kind, word: humanise(kind), options: "{}", says: "" };

export interface MeterForm {
  name: string;
  kind: string;
  device: number | null;
  rack: number | null;
  room: number | null;
  address: string;
  credential: string;
  options: string;
  period: number;
  enabled: boolean;
}

export const formOf = (meter: Meter | null): MeterForm => ({
  name: meter?.name ?? "",
  kind: meter?.kind ?? "pdu",
  device: meter?.device?.id ?? null,
  rack: meter?.rack?.id ?? null,
  room: meter?.room?.id ?? null,
  address: meter?.address ?? "",
  credential: meter?.credential ?? "",
  options: meter && Object.keys(meter.options).length ? JSON.stringify(meter.options, null, 2) : "",
  period: meter?.period_s ?? 10,
  enabled: meter?.enabled ?? true,
});

/** Options are one JSON object; an empty field is none. */
export function optionsOf(text: string): { value: Record<string, unknown> } | { problem: string } {
  if (!text.trim()) return { value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return { value: value as Record<string, unknown> };
    return { problem: "Options are one JSON object, such as {\"unit\": 1}." };
  } catch (error) {
    return { problem: `Not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export function bodyOf(form: MeterForm, site: number, options: Record<string, unknown>): MeterBody {
  return { site, name: form.name.trim(), kind: form.kind, device: form.device, rack: form.rack, room: form.room, address: form.address.trim(), credential: form.credential.trim() || null, options, period_s: form.period, enabled: form.enabled };
}

/** Only what differs: where a credential is sent may need another right than the rest. */
export function changes(from: Meter, to: MeterBody): Partial<MeterBody> {
  const was: MeterBody = { site: from.site, name: from.name, kind: from.kind, device: from.device?.id ?? null, rack: from.rack?.id ?? null, room: from.room?.id ?? null, address: from.address, credential: from.credential, options: from.options, period_s: from.period_s, enabled: from.enabled };
  return Object.fromEntries(Object.entries(to).filter(([name, value]) => JSON.stringify(was[name as keyof MeterBody]) !== JSON.stringify(value)));
}

/** `PDU pdu-d14-a`, `rack D14`, `Hall 1`, `the site`. */
export const placeWords = (meter: Meter): string => meter.device?.name ?? (meter.rack ? `rack ${meter.rack.name}` : (meter.room?.name ?? "the site"));
