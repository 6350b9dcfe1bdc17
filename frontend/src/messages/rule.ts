/** A rule in one line, as its list shows it. */
import * as words from "../api/generated/words.ts";
import { wordFor, wordsOf } from "../text.ts";

export const QUEUE_WORD = wordsOf(words.TicketQueue);
export const EVENT_WORD = wordsOf(words.MessageEvent);
export const DIGEST_WORD = wordsOf(words.MessageDigest);

interface Told {
  queues?: string[];
  events?: string[];
  priorities?: string[];
}

/** `Opened, Closed · P1 · Network`; what is not limited is left out. */
export function ruleText(rule: Told): string {
  const lists = [
    (rule.events ?? []).map((code) => wordFor(EVENT_WORD, code)),
    rule.priorities ?? [],
    (rule.queues ?? []).map((code) => wordFor(QUEUE_WORD, code)),
  ];
  return lists.filter((list) => list.length).map((list) => list.join(", ")).join(" · ") || "All news of all tickets";
}

/** The first zone offered: that of the browser. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
export const zones = (): string[] => Intl.supportedValuesOf("timeZone");

/** A topic that nobody guesses. */
export function newTopic(random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> = (bytes) => crypto.getRandomValues(bytes)): string {
  return `rackside-${Array.from(random(new Uint8Array(10)), (byte) => byte.toString(36).padStart(2, "0")).join("")}`;
}
