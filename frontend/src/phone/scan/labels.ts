/** Which label was read: that of the ticket, that of a device near it, or none that is known. Pure. */
import type { Schemas } from "../../api/schema.ts";
import { labelMatches } from "../../ticket/primary.ts";

export type Labels = Schemas["TicketLabels"];
export type Near = Schemas["Label"];
export type Reading = { is: "right" } | { is: "wrong"; near: Near | null };

/** What our own labels and those of vendors put round a name: an address of Rackside, a service tag in one, a prefix. */
export function labelOf(code: string): string {
  const text = code.trim();
  const address = /^https?:\/\/\S+$/i.test(text) ? text.replace(/[/?#]+$/, "") : "";
  if (!address) return text.replace(/^(?:S\/?N|ST|SN|SERIAL)[:= ]+/i, "");
  const tag = /\/tag\/([A-Za-z0-9-]+)/.exec(address) ?? /[?&](?:tag|svctag|sn|serial)=([^&#]+)/i.exec(address);
  return decodeURIComponent(tag?.[1] ?? address.slice(address.lastIndexOf("/") + 1));
}

export function read(code: string, labels: Labels): Reading {
  const label = labelOf(code);
  if (labelMatches(label, labels.expected)) return { is: "right" };
  const near = labels.nearby.find((each) => labelMatches(label, [each.name, each.serial, each.asset_tag]));
  return { is: "wrong", near: near ?? labels.found };
}
