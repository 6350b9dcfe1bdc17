/** Words of a site's MAAS, and which engines a run may have there. */
import type { Schemas } from "../api/schema.ts";
import type { Engine } from "./words.ts";

export type MaasTried = Schemas["MaasTried"];
type State = Schemas["MaasState"];

export const MAAS_TONE: Record<State, string> = { never: "", good: "ok", failed: "fail" };

/** What a try found, in a sentence. */
export function triedText(tried: MaasTried): string {
  if (tried.good) return `MAAS ${tried.version} answers; the key is that of ${tried.user}.`;
  return tried.version ? `MAAS ${tried.version} answers, but: ${tried.message}` : `No MAAS answers: ${tried.message}`;
}

/** Engines that a run may have: MAAS only where some site has a region. */
export const offered = (engines: Engine[], sites: ReadonlySet<number>): Engine[] =>
  engines.filter((engine) => engine !== "maas" || sites.size > 0);

/** Whether a run of this engine may take machines of this site. */
export const takes = (engine: Engine, site: number, sites: ReadonlySet<number>): boolean => engine !== "maas" || sites.has(site);
