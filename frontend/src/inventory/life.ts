/** The life of a part as one line of moments, the latest first. */
import * as words from "../api/generated/words.ts";
import { wordsOf } from "../text.ts";
import type { PartLife, Stay } from "./shapes.ts";

export type Moment =
  | { kind: "stay"; at: string | null; stay: Stay }
  | { kind: "event"; at: string; text: string; by: string; reason: string };

const CONDITION: Record<string, string> = wordsOf(words.PartCondition);
export const conditionWord = (condition: string): string => CONDITION[condition] ?? condition;

export function moments(life: Pick<PartLife, "stays" | "changes">): Moment[] {
  const all: Moment[] = life.stays.map((stay) => ({ kind: "stay", at: stay.from, stay }));
  for (const change of life.changes) {
    for (const text of changeTexts(change)) all.push({ kind: "event", at: change.at, text, by: change.by, reason: change.reason });
  }
  // What nobody dated was there from the beginning.
  return all.sort((a, b) => (b.at ?? "").localeCompare(a.at ?? ""));
}

function changeTexts({ action, fields }: PartLife["changes"][number]): string[] {
  if (action === "created") return ["Entered into the inventory"];
  const texts: string[] = [];
  if (fields.condition) texts.push(`Marked ${conditionWord(fields.condition.after ?? "?")}, was ${conditionWord(fields.condition.before ?? "?")}`);
  if (fields.storage?.after) texts.push(`Laid into ${fields.storage.after}`);
  else if (fields.storage?.before) texts.push(`Taken from ${fields.storage.before}`);
  return texts;
}
