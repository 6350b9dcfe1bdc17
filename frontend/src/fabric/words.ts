/** The fabric in a technician's words. */
import * as words from "../api/generated/words.ts";
import { codesOf, plural, type Tone, toned, wordFor, wordsOf } from "../text.ts";
import type { DiscoveryStatus, End, LinkCounts, LinkState } from "./shapes.ts";

export const SOURCE_STATE = toned(words.SourceState, { ok: "ok", stale: "warn", empty: "warn", truncated: "warn", partial: "warn", failed: "fail", untrusted: "fail", held_back: "fail" });

export const SOURCE_KIND = wordsOf(words.SourceKind);

export const DISCOVERY_STATUS = toned(words.DiscoveryStatus, { reading: "accent", reconciling: "accent", storing: "accent", done: "ok", held_back: "fail", failed: "fail" });
export const discoveryRuns = (status: DiscoveryStatus): boolean => !["done", "held_back", "failed"].includes(status);

/** In the order one wants to hear of them: the widest harm first. */
export const FINDING_KINDS = codesOf(words.FindingKind);

const KIND_WORD = wordsOf(words.FindingKind);
export const kindWord = (kind: string): string => wordFor(KIND_WORD, kind);

export const FINDING_STATE = toned(words.FindingState, { open: "fail", accepted: "accent", closed: "ok" });

const LINK_TONE: Record<LinkState, Tone> = { correct: "ok", wrong: "fail", missing: "fail", dark: "warn", off: "warn", slow: "warn", extra: "warn", unknown: "" };
export const LINK_STATE_WORD = wordsOf(words.LinkState);
export const linkWords = (links: LinkCounts) => codesOf(words.LinkState).map((key) => ({ key, word: LINK_STATE_WORD[key], tone: LINK_TONE[key], count: links[key] }));

/** What a hand looks for: the cage where there is one, else the port as printed. */
export function portWords(end: End): string {
  if (end.cage !== null) return end.half ? `cage ${end.cage} ${end.half}` : `cage ${end.cage}`;
  return end.port_name ? `port ${end.port_name}` : `port ${end.port}`;
}

/** Device and socket; an adapter's one port is in its name already. */
export function endWords(end: End): string {
  return end.cage === null && end.port_name && end.device.endsWith(` ${end.port_name}`) ? end.device : `${end.device} ${portWords(end)}`;
}

/** The same move in the few words of a button or a list. */
export function moveWords(move: { take_from: End | null; put_into: End | null }): string {
  if (move.take_from && move.put_into) {
    const there = move.put_into.device === move.take_from.device ? "" : `${move.put_into.device} `;
    return `${move.take_from.device} ${portWords(move.take_from)} → ${there}${portWords(move.put_into)}`;
  }
  if (move.take_from) return `Pull ${move.take_from.device} ${portWords(move.take_from)}`;
  if (move.put_into) return `Insert into ${move.put_into.device} ${portWords(move.put_into)}`;
  return "";
}

/** `14 wrong, 3 missing`; empty when all is as planned. */
export function troubles(links: LinkCounts): string {
  return linkWords(links)
    .filter(({ key, count }) => key !== "correct" && count)
    .map(({ word, count }) => `${count.toLocaleString("en")} ${word}`)
    .join(", ");
}

/** What a period says to a person: `every 5 min`. */
export function everyWords(seconds: number): string {
  if (!seconds) return "only on demand";
  if (seconds % 3600 === 0) return `every ${plural(seconds / 3600, "hour")}`;
  if (seconds % 60 === 0) return `every ${seconds / 60} min`;
  return `every ${seconds} s`;
}

export const NAME_STATE = toned(words.NameState, { proposed: "accent", approved: "accent", written: "accent", confirmed: "ok", failed: "fail" });

export const PORT_STATE = toned(words.PortActionState, { proposed: "accent", dry_run: "accent", approved: "accent", held: "warn", unknown: "fail", failed: "fail", free: "ok" });

export const PORT_ACTION = wordsOf(words.PortActionKind);

export const JUDGEMENT = toned(words.LinkQuality, { bad: "fail", watch: "warn", ok: "ok" });

const MEASURE_WORD = wordsOf(words.LinkMeasure);
export const measureWord = (name: string): string => wordFor(MEASURE_WORD, name);

export const BURN_IN = toned(words.BurnInStatus, { planning: "accent", running: "accent", stopping: "warn", stopped: "warn", done: "ok", failed: "fail" });

export const PAIR_VERDICT = toned(words.PairVerdict, { pass: "ok", fail: "fail", unknown: "warn" });

/** `118 of 120 passed, 2 failed`. */
export function pairWords({ pairs, result }: { pairs: number; result: { pass: number; fail: number; unknown: number } }): string {
  if (!result.pass && !result.fail && !result.unknown) return plural(pairs, "pair");
  return [`${result.pass} of ${pairs} passed`, result.fail && `${result.fail} failed`, result.unknown && `${result.unknown} without result`].filter(Boolean).join(", ");
}
