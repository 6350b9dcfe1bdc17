/** Rows of a vendor's list: what a person has to look at first, and what would be written, in words. */
import { DeliveryMatch as MATCH } from "../api/generated/words.ts";
import type { Schemas } from "../api/schema.ts";
import { codesOf, type Tone } from "../text.ts";

export type Item = Schemas["VendorDeliveryItem"];
export type Match = Item["match"];

export const MATCH_TONE: Record<Match, Tone> = {
  fits: "accent", same: "ok", moved: "warn", exchanged: "warn", taken: "fail", differs: "fail", unknown: "fail",
};
/** Fields of the inventory that a row may fill in. */
export const CHANGED: Record<string, string> = { serial: "Serial", bmc_mac: "BMC MAC", boot_mac: "Boot MAC" };
const MATCHES = codesOf(MATCH);

/** What does not fit first, then what fits, then what was taken over; each in the order of the list. */
export function sortedItems(items: readonly Item[]): Item[] {
  const rank = (item: Item) => (item.accepted_at ? -1 : MATCHES.indexOf(item.match));
  return [...items].sort((a, b) => rank(b) - rank(a) || a.number - b.number);
}
