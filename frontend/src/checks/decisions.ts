/** What people decided about checks, as one kind of thing: where it holds, what it says, and how it is written. Pure. */
import { endsSoon, SCOPE_WORD } from "./words.ts";
import type { Named, AuditMode, Override, Scope, Silence } from "./shapes.ts";

export type Decided =
  | ({ kind: "overrides" } & Override)
  | ({ kind: "silences" } & Silence)
  | ({ kind: "audit-mode" } & AuditMode);
export type Kind = Decided["kind"];

export const KIND_WORD: Record<Kind, string> = { overrides: "Own limits", silences: "Silence", "audit-mode": "Audit mode" };
export const KIND_SAYS: Record<Kind, string> = {
  overrides: "The check uses these limits instead of its own.",
  silences: "The check goes on, but its findings are shown as information and open no fault. It needs an end.",
  "audit-mode": "The check evaluates and shows, but opens no fault and starts no remedy.",
};

/** `Machine hgx-a01-01`, `Model HGX H100 at North`, `Everywhere`. */
export function placeWords(decided: Decided, sites: Named[]): string {
  if (decided.kind !== "audit-mode") return `${SCOPE_WORD[decided.scope]} ${decided.about}`;
  if (decided.site === null) return "Everywhere";
  return `${SCOPE_WORD.site} ${sites.find((site) => site.id === decided.site)?.name ?? decided.site}`;
}

/** Whether it holds at a site: what holds for all of them is there too. */
export const holdsAt = (decided: Decided, site: number | null): boolean => site === null || decided.site === null || decided.site === site;

export const limitWords = (limits: Record<string, number>): string =>
  Object.entries(limits).map(([name, value]) => `${limitWord(name)} ${value.toLocaleString("en", { maximumFractionDigits: 6 })}`).join(", ");

export const limitWord = (name: string): string => name.replaceAll("_", " ");

/** What it does to the check, in half a line. */
export function effectWords(decided: Decided): string {
  if (decided.kind === "overrides") return limitWords(decided.thresholds);
  if (decided.kind === "silences") return decided.part ? `Silences ${decided.part}` : "Silences the whole check";
  return "Opens no fault";
}

/** The body that makes the same decision again, for undo and for a copy. */
export function bodyOf(decided: Decided): Record<string, unknown> {
  const { check, reason, owner, expires_at } = decided;
  const who = { check, reason, owner, expires_at };
  if (decided.kind === "audit-mode") return { ...who, site: decided.site };
  const where = whereOf(decided.scope, decided);
  return decided.kind === "overrides" ? { ...who, ...where, thresholds: decided.thresholds } : { ...who, ...where, part: decided.part };
}

/** What a scope is asked with: a machine has its site by itself. */
export const whereOf = (scope: Scope, ids: { site: number | null; model: number | null; machine: number | null }): Record<string, unknown> => ({
  scope,
  site: scope === "machine" ? null : ids.site,
  model: scope === "model" ? ids.model : null,
  machine: scope === "machine" ? ids.machine : null,
});

/** What ends first comes first; what has no end comes last. */
export function byExpiry(decided: Decided[]): Decided[] {
  return [...decided].sort((a, b) => (a.expires_at ?? "9").localeCompare(b.expires_at ?? "9") || b.id - a.id);
}

export interface Overview {
  soon: Decided[];
  later: Decided[];
}

export function overviewOf(decided: Decided[], nowMs: number): Overview {
  const active = byExpiry(decided.filter((each) => each.active));
  return { soon: active.filter((each) => endsSoon(each.expires_at, nowMs)), later: active.filter((each) => !endsSoon(each.expires_at, nowMs)) };
}
