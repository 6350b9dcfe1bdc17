/** Words of the inventory's pictures. */
import * as words from "../api/generated/words.ts";
import { wordFor, wordsOf } from "../text.ts";

const STATUS_TONE: Record<string, string> = { planned: "accent", to_move: "warn", removed: "fail" };
const STATUS: Record<string, string> = wordsOf(words.CableStatus);

/** A cable's state where it is worth a word; connected ones are the rule. */
export const statusTag = (status: string | undefined): { word: string; tone: string } | null =>
  status && STATUS_TONE[status] ? { word: statusWord(status), tone: STATUS_TONE[status] } : null;
export const statusWord = (status: string): string => wordFor(STATUS, status);

export const PORT_KIND = wordsOf(words.PortKind);

/** `cage 11 lower`, lane 1 being the upper one; nothing for a port without a cage. */
export function cageText(port: { cage?: number | null; lane?: number | string | null }): string {
  if (port.cage == null) return "";
  const lane = port.lane == null || port.lane === "" ? "" : port.lane === 1 ? " upper" : port.lane === 2 ? " lower" : ` ${port.lane}`;
  return `cage ${port.cage}${lane}`;
}

/** `10.2 kW`, `350 W`. */
export const watts = (w: number | null | undefined): string =>
  w == null ? "–" : w < 1_000 ? `${Math.round(w)} W` : `${(w / 1_000).toFixed(1)} kW`;

export const metres = (length: number | string | null): string => (length === null || length === "" ? "" : `${Number(length)} m`);

export function bytes(size: number): string {
  return size < 1_000_000 ? `${Math.max(1, Math.round(size / 1_000))} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}
