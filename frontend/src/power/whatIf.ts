/** The questions of "What if…": between a form, the address of the page and the call. Pure. */
import * as words from "../api/generated/words.ts";
import { codesOf, plural, wordsOf } from "../text.ts";
import type { WhatIf } from "./shapes.ts";
import { power } from "./words.ts";

export type Question =
  | { question: "feed_off"; feed: number; together: Together }
  | { question: "more_machines"; rack: number; model: string; count: number }
  | { question: "inlet"; by_c: number }
  | { question: "full_load" }
  | RoomQuestion;
/** How many more of a model fit, and where: an answer of its own kind. */
export interface RoomQuestion {
  question: "room_left";
  model: string;
}
export type Kind = Question["question"];

export const QUESTION_WORD: Record<Kind, string> = { ...wordsOf(words.WhatIfQuestion), room_left: "Room left for a model" };
export const QUESTIONS: readonly Kind[] = [...codesOf(words.WhatIfQuestion), "room_left"];

export const TOGETHER = ["feed", "panel", "side"] as const;
export type Together = (typeof TOGETHER)[number];
/** What dies with a feed. */
export const TOGETHER_WORD: Record<Together, string> = { feed: "it alone", panel: "every feed of its panel", side: "every feed of its side" };

/** `now` draws the floor as it is beside the answer. */
const NAMES = ["if", "if_feed", "if_with", "if_rack", "if_model", "if_count", "by_c", "now"] as const;

/** What the address asks; null where it asks nothing, or half of a question. */
export function questionOf(query: URLSearchParams): Question | null {
  const number = (name: string) => Number(query.get(name)) || 0;
  switch (query.get("if")) {
    case "feed_off":
      return number("if_feed") ? { question: "feed_off", feed: number("if_feed"), together: TOGETHER.find((each) => each === query.get("if_with")) ?? "feed" } : null;
    case "more_machines": {
      const model = query.get("if_model") ?? "";
      return number("if_rack") && model && number("if_count") > 0 ? { question: "more_machines", rack: number("if_rack"), model, count: number("if_count") } : null;
    }
    case "inlet":
      return number("by_c") ? { question: "inlet", by_c: number("by_c") } : null;
    case "full_load":
      return { question: "full_load" };
    case "room_left": {
      const model = query.get("if_model") ?? "";
      return model ? { question: "room_left", model } : null;
    }
    default:
      return null;
  }
}

/** The address that asks it; null goes back to now. */
export function addressOf(question: Question | null): Record<string, string | number | null> {
  const none = Object.fromEntries(NAMES.map((name) => [name, null]));
  if (!question) return none;
  switch (question.question) {
    case "feed_off":
      return { ...none, if: "feed_off", if_feed: question.feed, if_with: question.together === "feed" ? null : question.together };
    case "more_machines":
      return { ...none, if: "more_machines", if_rack: question.rack, if_model: question.model, if_count: question.count };
    case "inlet":
      return { ...none, if: "inlet", by_c: question.by_c };
    case "full_load":
      return { ...none, if: "full_load" };
    case "room_left":
      return { ...none, if: "room_left", if_model: question.model };
  }
}

export interface Outcome {
  key: string;
  title: string;
  note: string;
  href: string | null;
  tone: "over" | "near";
}

/** All that trips, is over its limit, goes dark, gets too warm or cold, or slows down, the worst first. */
export function outcomes(answer: WhatIf): Outcome[] {
  return [
    ...answer.trips.map((trip): Outcome => ({ key: `${trip.kind}${trip.id}`, title: `${trip.name} ${trip.trips ? "trips" : "is over its limit"}`, note: `would carry ${power(trip.carries_w)} of ${power(trip.limit_w)}`, href: trip.kind === "feed" ? `/power/feeds/${trip.id}` : null, tone: "over" })),
    ...answer.lost.map((lost): Outcome => ({ key: `lost${lost.id}`, title: `${lost.name} goes dark`, note: "", href: null, tone: "over" })),
    ...answer.outside.map((outside): Outcome => ({ key: `outside${outside.id}`, title: `${outside.name} leaves the range of its class`, note: "", href: null, tone: "over" })),
    ...answer.slowed.map((slowed): Outcome => ({ key: `slowed${slowed.id}`, title: `${slowed.name} slows down`, note: "", href: null, tone: "near" })),
  ];
}

/** `1 breaker trips; 2 over their limit; 4 machines slow down; 2 devices not known`. */
export function sumWords(answer: WhatIf): string {
  const { lost, outside, slowed, unknown } = answer;
  const trips = answer.trips.filter((trip) => trip.trips);
  const over = answer.trips.length - trips.length;
  return [
    trips.length ? `${plural(trips.length, "breaker")} ${trips.length === 1 ? "trips" : "trip"}` : "nothing trips",
    over ? `${over} over ${over === 1 ? "its" : "their"} limit` : "",
    lost.length ? `${plural(lost.length, "device")} ${lost.length === 1 ? "goes" : "go"} dark` : "",
    outside.length ? `${plural(outside.length, "machine")} outside ${outside.length === 1 ? "its" : "their"} class` : "",
    slowed.length ? `${plural(slowed.length, "machine")} ${slowed.length === 1 ? "slows" : "slow"} down` : "",
    unknown ? `${plural(unknown, "device")} not known` : "",
  ]
    .filter(Boolean)
    .join("; ");
}

/** What the service is asked: two of the questions are about a whole site. */
export const queryOf = (question: Exclude<Question, RoomQuestion>, site: number | null) => (question.question === "inlet" || question.question === "full_load" ? { ...question, site } : question);
