/** From annotations to what a chart draws. Pure. */
import type { Mark } from "../lib/plot.ts";
import type { Annotation } from "./shapes.ts";

interface Span {
  from: number;
  to: number;
  devices: { id: number }[] | null;
}

/** Those of the whole site and of the devices asked for that touch the span, the earliest first. */
export const inSpan = (all: readonly Annotation[], { from, to, devices }: Span): Annotation[] =>
  all
    .filter((each) => each.device === null || devices === null || devices.some((device) => device.id === each.device))
    .filter((each) => Date.parse(each.at) <= to && Date.parse(each.until ?? each.at) >= from)
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));

/** A mark holds few words: the whole text stands beside the charts, under the same number. */
export const marksOf = (shown: readonly Annotation[]): Mark[] =>
  shown.map((each, i) => ({ at: Date.parse(each.at), until: each.until === null ? null : Date.parse(each.until), text: String(i + 1) }));
