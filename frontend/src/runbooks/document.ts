/** Editing a runbook: pure steps on the document, which is never changed in place. */
import type { Schemas } from "../api/schema.ts";

export type Document = Schemas["RunbookDocument"];
export type Step = Schemas["RunbookStep"];
export type Problem = Schemas["RunbookProblem"];

export const KIND_WORD: Record<Step["kind"], string> = { check: "Check", reseat: "Reseat", clean: "Clean", swap: "Swap" };
export const RUNS_WORD: Record<Step["runs"], string> = { "": "By hand", drain: "Drain", led_on: "LED on", power_off: "Power off, seen off", power_on: "Power on, seen on" };
export const SIGN_WORD: Record<Step["sign"], string> = { "": "No signature", second_person: "Second person", lockout: "Lock and tag" };

export const emptyDocument = (title: string): Document => ({
  title, summary: "", role: "technician", minutes: 30, people: 1, safety: "", tools: [], parts: [], steps: [emptyStep([])],
});

/** A step whose key no other has. */
export function emptyStep(steps: Step[]): Step {
  const keys = new Set(steps.map((step) => step.key));
  let n = steps.length + 1;
  while (keys.has(`step-${n}`)) n += 1;
  return { key: `step-${n}`, kind: "check", title: "", text: "", verifies: "", runs: "", needs_off: false, sign: "", role: "technician" };
}

export const withStep = (document: Document, at: number, change: Partial<Step>): Document => ({
  ...document, steps: document.steps.map((step, i) => (i === at ? { ...step, ...change } : step)),
});

/** A step that the machine runs is a check, without hands and without a signature. */
export const withRuns = (document: Document, at: number, runs: Step["runs"]): Document =>
  withStep(document, at, runs ? { runs, kind: "check", needs_off: false, sign: "" } : { runs });

export const added = (document: Document): Document => ({ ...document, steps: [...document.steps, emptyStep(document.steps)] });

export const removed = (document: Document, at: number): Document => ({ ...document, steps: document.steps.filter((_, i) => i !== at) });

/** One place up (-1) or down (1); at the end it stays. */
export function moved(document: Document, at: number, by: -1 | 1): Document {
  const to = at + by;
  if (to < 0 || to >= document.steps.length) return document;
  const steps = [...document.steps];
  [steps[at], steps[to]] = [steps[to]!, steps[at]!];
  return { ...document, steps };
}

/** One thing a line. */
export const lines = (text: string): string[] => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** Problems of one step, by its place in the document from 0; `null`: of the head. */
export function problemsAt(problems: Problem[], step: number | null): Problem[] {
  const own = (place: string) => /^steps\.(\d+)(?:\.|$)/.exec(place);
  return problems.filter(({ place }) => (step === null ? !own(place) : Number(own(place)?.[1]) === step + 1));
}

/** A name in the address: small letters, digits and hyphens. */
export const slugOf = (title: string): string => title.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
