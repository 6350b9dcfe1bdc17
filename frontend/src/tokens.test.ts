/** Contrast of the tokens, computed from tokens.css itself: WCAG AA for text, 3:1 for the outlines that carry state. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");
const THEMES = ["light", "dark"] as const;

function colour(token: string, theme: (typeof THEMES)[number]): string {
  const value = new RegExp(`--${token}: ([^;]+);`).exec(css)?.[1];
  if (!value) throw new Error(`no token ${token}`);
  const pair = /^light-dark\((#\w+), (#\w+)\)$/.exec(value);
  return pair ? pair[theme === "light" ? 1 : 2]! : value;
}

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const c = parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

const TEXT: [string, string][] = [
  ...["ink", "ink-2", "ink-3", "accent"].flatMap((ink) => ["surface", "surface-2", "bg"].map((ground): [string, string] => [ink, ground])),
  ["ink-2", "accent-bg"], ["accent", "accent-bg"], ["on-accent", "accent"], ["ok", "ok-bg"], ["warn", "warn-bg"], ["fail", "fail-bg"], ["ink", "fail-bg"], ["ink-2", "fail-bg"],
  ["cold-ink", "cold"], ["hot-ink", "hot"], ["ink-2", "rack"], ["ink", "cell-allocated"], ["ink", "line-2"],
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((group): [string, string] => ["ink", `group-${group}`]),
  ["cell-failed-mark", "cell-failed"], ["cell-suspect-mark", "cell-suspect"], ["cell-repair-mark", "cell-repair"], ["cell-drained-mark", "cell-drained"],
];
const OUTLINES = ["allocated", "available", "suspect", "failed", "drained", "repair", "provisioning", "off", "no-signal"];

describe.each(THEMES)("in the %s theme", (theme) => {
  test.each(TEXT)("%s can be read on %s", (ink, ground) => {
    expect(contrast(colour(ink, theme), colour(ground, theme))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(OUTLINES)("the outline of %s stands out from the rack", (cell) => {
    expect(contrast(colour(`cell-${cell}-line`, theme), colour("rack", theme))).toBeGreaterThanOrEqual(3);
  });
});
