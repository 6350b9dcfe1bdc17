import { expect, test } from "vitest";
import { inSpan, marksOf } from "./marks.ts";
import type { Annotation } from "./shapes.ts";

const said = (at: string, over: Partial<Annotation> = {}) => ({ at, until: null, device: null, text: at, ...over }) as Annotation;
const DAY = { from: Date.parse("2026-11-01T00:00Z"), to: Date.parse("2026-11-02T00:00Z") };

test("a chart marks what touches its span, the earliest first", () => {
  const all = [
    said("2026-11-01T20:00:00Z"),
    said("2026-10-31T20:00:00Z"),
    said("2026-10-31T20:00:00Z", { until: "2026-11-01T01:00:00Z", text: "began before" }),
    said("2026-11-01T23:00:00Z", { until: "2026-11-09T01:00:00Z", text: "goes on" }),
    said("2026-11-03T00:00:00Z"),
  ];
  expect(inSpan(all, { ...DAY, devices: null }).map((each) => each.text)).toEqual(["began before", "2026-11-01T20:00:00Z", "goes on"]);
});

test("beside those of the whole site stand those of the devices that the page is about", () => {
  const all = [said("2026-11-01T01:00:00Z", { device: 7 }), said("2026-11-01T02:00:00Z", { device: 8 }), said("2026-11-01T03:00:00Z")];
  expect(inSpan(all, { ...DAY, devices: [{ id: 7 }] }).map((each) => each.device)).toEqual([7, null]);
  expect(inSpan(all, { ...DAY, devices: [] }).map((each) => each.device)).toEqual([null]);
  expect(inSpan(all, { ...DAY, devices: null })).toHaveLength(3);
});

test("in the picture stands a number, and a while has an end", () => {
  const marks = marksOf([said("2026-11-01T01:00:00Z", { text: "Firmware" }), said("2026-11-01T02:00:00Z", { until: "2026-11-01T03:00:00Z" })]);
  expect(marks.map((mark) => [mark.text, mark.until])).toEqual([["1", null], ["2", Date.parse("2026-11-01T03:00:00Z")]]);
});
