/** The ports of a device, each with its cable and what was measured of its link. Pure. */
import * as words from "../api/generated/words.ts";
import type { MachineCable } from "../api/shapes.ts";
import { JUDGEMENT } from "../fabric/words.ts";
import type { MeasuredLink } from "../fabric/shapes.ts";
import { cageText, PORT_KIND, statusTag } from "../inventory/words.ts";
import type { DeviceFace, FacePort } from "../inventory/shapes.ts";
import { codesOf, wordFor, type Said } from "../text.ts";
import { tsv } from "../util/verdicts.ts";

export interface PortRow {
  port: FacePort;
  cable: MachineCable | null;
  link: MeasuredLink | null;
  state: PortState;
}
export type PortState = MeasuredLink["quality"] | "planned" | "plugged" | "free";

/** A sign beside the colour; what is as it should be needs none. */
export const SIGN: Record<PortState, string> = { bad: "×", unknown: "?", watch: "!", ok: "", planned: "", plugged: "", free: "" };
const REST: Record<Exclude<PortState, MeasuredLink["quality"]>, Said> = {
  planned: { word: "Planned", says: "A cable is planned here and not plugged in yet.", tone: "accent" },
  plugged: { word: "Plugged", says: "A cable is plugged in; nothing measures it.", tone: "" },
  free: { word: "Free", says: "No cable.", tone: "" },
};
export const SAID: Record<PortState, Said> = { ...JUDGEMENT, ...REST };
/** The worst first. */
export const STATES: PortState[] = ["bad", "unknown", "watch", "ok", "planned", "plugged", "free"];

export function portRows(face: DeviceFace, cables: readonly MachineCable[], links: readonly MeasuredLink[]): PortRow[] {
  const cableOf = new Map(cables.map((cable) => [cable.near.port_id, cable]));
  const linkOf = new Map(links.flatMap((link) => [link.a, link.b].map((end) => [end.port_id, link])));
  return face.ports.map((port) => {
    const cable = cableOf.get(port.id) ?? null;
    const link = linkOf.get(port.id) ?? null;
    return { port, cable, link, state: stateOf(cable, link) };
  });
}

function stateOf(cable: MachineCable | null, link: MeasuredLink | null): PortState {
  if (link) return link.quality;
  if (!cable) return "free";
  return cable.status === "planned" ? "planned" : "plugged";
}

/** Ports without a place on the picture, by kind, in the order of the kinds. */
export function unplaced(rows: readonly PortRow[]): { kind: FacePort["kind"]; rows: PortRow[] }[] {
  const rest = rows.filter((row) => !row.port.box);
  return codesOf(words.PortKind).flatMap((kind) => {
    const those = rest.filter((row) => row.port.kind === kind);
    return those.length ? [{ kind, rows: those }] : [];
  });
}

/** All that is known of a port in one line: what the picture, its tip and a long press say. */
export function portText({ port, cable, link, state }: PortRow): string {
  const speed = port.speed_gbps ? `${port.speed_gbps} Gb/s` : "";
  const head = [`${port.name}`, cageText(port) || wordFor(PORT_KIND, port.kind), speed].filter(Boolean).join(" · ");
  const moved = statusTag(cable?.status)?.word.toLowerCase();
  const where = cable ? [cable.label, moved && `(${moved})`, cable.far ? `to ${cable.far.device} ${cable.far.port}` : "to an open end"].filter(Boolean).join(" ") : "";
  const said = link?.reason || (cable ? SAID[state].word.toLowerCase() : "free");
  return [head, where, said].filter(Boolean).join(", ");
}

/** Every port with its far end, to paste into a spreadsheet. */
export const portTable = (rows: readonly PortRow[]): string =>
  tsv(
    ["port", "state", "cable", "far device", "far port", "far place", "errors an hour", "downs a day", "warmest"],
    rows.map(({ port, cable, link, state }) => [port.name, SAID[state].word, cable?.label, cable?.far?.device, cable?.far?.port, cable?.far?.place, link?.errors_per_h["1h"], link?.downs_per_day, link?.max_c]),
  );

export const matches = (row: PortRow, text: string): boolean => portText(row).toLowerCase().includes(text.trim().toLowerCase());
