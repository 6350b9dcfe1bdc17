/** A meter in a form: which fields its kind has, and the options as JSON. Pure. */
import { wordFor } from "../text.ts";
import type { Meter, MeterBody, MeterKind } from "./shapes.ts";
import { METER_KIND } from "./words.ts";

export type PlaceKind = "device" | "room" | "site";

/** What is asked of a kind in a form. */
export interface KindForm {
  kind: MeterKind;
  /** What it hangs on. */
  place: PlaceKind;
  address: string;
  /** It asks for no login. */
  open?: boolean;
  /** It may tell of a device from inside. */
  inside?: boolean;
  options: string;
  says: string;
}

const SNMP = '{"algorithm": "sha256", "context": "pdu-2"}';

/** The kinds that a person adds; machines and the sums of racks, rooms and sites come by themselves. */
export const KIND_FORMS: readonly KindForm[] = [
  { kind: "snmp_pdu", place: "device", address: "10.4.0.17", options: '{"unit": 2}', says: "Power, phases, breakers and outlets of a rack PDU. The options say which PDU of a chain is meant (unit), how SNMP 3 signs (algorithm), and of which context." },
  { kind: "redfish_pdu", place: "device", address: "10.4.0.17", options: '{"path": "/redfish/v1/PowerEquipment/RackPDUs/1"}', says: "The options may name one of several PDUs." },
  { kind: "snmp_sensors", place: "room", address: "10.4.0.40", options: SNMP, inside: true, says: "Temperature and humidity of the air in a room or a rack, or what the supplies of a switch take. The options say how SNMP 3 signs, and of which context." },
  { kind: "redfish_sensors", place: "room", address: "10.4.0.40", options: '{"path": "/redfish/v1/Chassis/1"}', says: "The options may name one of several chassis." },
  { kind: "redfish_cooling", place: "room", address: "cdu.example.org", options: '{"path": "/redfish/v1/ThermalEquipment/CDUs/1"}', says: "Flow, pressure, temperatures and leaks of a cooling unit. The options may name one of several." },
  { kind: "modbus", place: "site", address: "10.4.0.9:502", open: true, options: '{"unit": 1, "registers": [{"part": "total", "name": "site", "quantity": "power_w", "address": 3060, "type": "float32"}]}', says: "A meter of the whole site, for PUE. The options list its registers." },
  { kind: "prometheus", place: "site", address: "prometheus.example.org:443", options: '{"values": [{"part": "total", "name": "site", "quantity": "power_w", "expression": "sum(site_power_watts)"}]}', says: "What a Prometheus server knows of the whole site, for PUE. The options list the values." },
];
export const isAsked = (kind: string): boolean => KIND_FORMS.some((each) => each.kind === kind);
export const formOfKind = (kind: string): KindForm => KIND_FORMS.find((each) => each.kind === kind) ?? { ...KIND_FORMS[0]!, options: "{}", says: "" };
export const kindWord = (kind: string): string => wordFor(METER_KIND, kind);

export interface MeterForm {
  name: string;
  kind: MeterKind;
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
  kind: meter?.kind ?? "snmp_pdu",
  device: meter?.device ?? null,
  rack: meter?.rack ?? null,
  room: meter?.room ?? null,
  address: meter?.address ?? "",
  credential: meter?.credential ?? "",
  options: meter && Object.keys(meter.options).length ? JSON.stringify(meter.options, null, 2) : "",
  period: meter?.period_s ?? 30,
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

type Whole = Required<Omit<MeterBody, "identity">>;

export function bodyOf(form: MeterForm, site: number, options: Record<string, unknown>): Whole {
  return { site, name: form.name.trim(), kind: form.kind, device: form.device, rack: form.rack, room: form.room, address: form.address.trim(), credential: form.credential.trim() || null, options, period_s: form.period, enabled: form.enabled };
}

/** Only what differs: where a credential is sent may need another right than the rest. */
export function changes(from: Meter, to: Whole): Partial<Whole> {
  const was: Whole = { site: from.site, name: from.name, kind: from.kind, device: from.device, rack: from.rack, room: from.room, address: from.address, credential: from.credential, options: from.options, period_s: from.period_s, enabled: from.enabled };
  return Object.fromEntries(Object.entries(to).filter(([name, value]) => JSON.stringify(was[name as keyof Whole]) !== JSON.stringify(value)));
}

/** `pdu-d14-a`, `rack D14`, `Hall 1`, `the site`. */
export const placeWords = ({ place }: Pick<Meter, "place">): string => place.device?.name ?? (place.rack ? `rack ${place.rack.name}` : (place.room?.name ?? "the site"));
