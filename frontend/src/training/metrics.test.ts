import { expect, test } from "vitest";
import { labelsText, triedText } from "./metrics.ts";

const tried = { good: true, message: "", query: "", run: null, took_s: 0.021, series_count: 12, points: 480, yields: 588, series: [] };

test("what a query returned is counted in the words of its kind", () => {
  expect(triedText("step", tried)).toBe("12 series with 480 points, 588 steps, in 0.02 s");
  expect(triedText("clock_mhz", { ...tried, yields: 1 })).toBe("12 series with 480 points, 1 GPU, in 0.02 s");
  expect(triedText("step_s", tried)).toBe("12 series with 480 points, in 0.02 s");
  expect(triedText("loss", { ...tried, series_count: 0 })).toBe("");
});

test("labels are shown as a selector", () => {
  expect(labelsText({ __name__: "up", job: 'a"b' })).toBe('up{job="a\\"b"}');
});
