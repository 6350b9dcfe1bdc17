/** What is chosen in a rack's picture, as the address bar keeps it. */
import type { ElevationItem, ElevationPort } from "../api/shapes.ts";
import type { Side } from "../map/elevation.ts";

export type Pick =
  | { kind: "device"; id: number }
  | { kind: "port"; id: number }
  /** Units without a device: free, reserved, or blanked. */
  | { kind: "span"; side: Side; u: number };

export function readPick(query: URLSearchParams): Pick | null {
  const port = Number(query.get("port"));
  const device = Number(query.get("device"));
  const span = /^(front|rear)-(\d+(?:\.5)?)$/.exec(query.get("units") ?? "");
  if (port) return { kind: "port", id: port };
  if (device) return { kind: "device", id: device };
  if (span) return { kind: "span", side: span[1] as Side, u: Number(span[2]) };
  return null;
}

export function pickQuery(pick: Pick | null): Record<string, string | number | null> {
  return {
    device: pick?.kind === "device" ? pick.id : null,
    port: pick?.kind === "port" ? pick.id : null,
    units: pick?.kind === "span" ? `${pick.side}-${pick.u}` : null,
  };
}

export const samePick = (a: Pick | null, b: Pick | null): boolean => JSON.stringify(a) === JSON.stringify(b);

export const pickOf = (item: ElevationItem, side: Side): Pick =>
  item.id === null ? { kind: "span", side, u: item.u } : { kind: "device", id: item.id };

export interface FoundPort {
  port: ElevationPort;
  item: ElevationItem;
}

export function findPort(items: ElevationItem[], id: number): FoundPort | null {
  for (const item of items) {
    const port = item.ports?.find((each) => each.id === id);
    if (port) return { port, item };
  }
  return null;
}
