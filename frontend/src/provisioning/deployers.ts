/** Words of a site's MAAS and Ironic, and which engines a run may have there. */
import type { Schemas } from "../api/schema.ts";
import type { Engine } from "./words.ts";

export type Tried = Schemas["Tried"];
export type Settings = Pick<Schemas["MaasRegion"], "enabled" | "url" | "authorities" | "state" | "message" | "tried_at">;
type State = Schemas["DeployerState"];

export const DEPLOYER_TONE: Record<State, string> = { never: "", good: "ok", failed: "fail" };

/** What a try found, in a sentence. */
function told(name: string, tried: Tried, who: string): string {
  if (tried.good) return `${name} ${tried.version} answers; ${who}.`;
  return tried.version ? `${name} ${tried.version} answers, but: ${tried.message}` : `No ${name} answers: ${tried.message}`;
}

export const maasTold = (tried: Tried): string => told("MAAS", tried, `the key is that of ${tried.user}`);
export const ironicTold = (tried: Tried): string =>
  told("Ironic", tried, `it has the drivers ${tried.capabilities.join(", ") || "none"}`);

/** The sites that have each of these enabled, by engine. */
export type Sites = Partial<Record<Engine, ReadonlySet<number>>>;

export const sitesOf = (rows: { site: number; enabled?: boolean }[] | undefined): ReadonlySet<number> =>
  new Set((rows ?? []).filter((row) => row.enabled).map((row) => row.site));

/** Engines that a run may have: one that needs a service of the site only where some site has it. */
export const offered = (engines: Engine[], sites: Sites): Engine[] => engines.filter((engine) => sites[engine]?.size !== 0);

/** Whether a run of this engine may take machines of this site. */
export const takes = (engine: Engine, site: number, sites: Sites): boolean => sites[engine]?.has(site) ?? true;
