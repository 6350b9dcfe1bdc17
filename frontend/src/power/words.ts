/** Words and numbers of power, as people read them. Pure. */
import * as words from "../api/generated/words.ts";
import { codesOf, type Tone, toned, wordsOf } from "../text.ts";
import type { LoadState, Method, Severity } from "./shapes.ts";

const LOAD = wordsOf(words.LoadState);
/** Behind a number: `near its limit`, `not known`, `ok`. */
export const loadWord = (state: LoadState): string => `${LOAD[state].toLowerCase()}${state === "near" || state === "over" ? " its limit" : ""}`;

/** The worst first. */
export const SEVERITIES = codesOf(words.FindingSeverity);
export const SEVERITY_WORD = wordsOf(words.FindingSeverity);
export const SEVERITY_TONE: Record<Severity, Tone> = { info: "accent", warn: "warn", bad: "fail" };

const METHOD = wordsOf(words.PowerMethod);
/** `measured by PDUs and BMCs`. */
export const methodWords = (method: Method): string => (method === "none" ? METHOD.none.toLowerCase() : `measured by ${METHOD[method]}`);

export const HEIGHT_WORD = wordsOf(words.HeightKind);
export const HEIGHT_STATE = wordsOf(words.HeightState);

export const GPU_BAND = wordsOf(words.GpuBand);

export const METER_KIND = wordsOf(words.MeterKind);
export const METER_STATE = toned(words.MeterState, { failed: "fail", refused: "fail", late: "warn", partial: "warn", ok: "ok" });

export const PROPOSAL_STATE = toned(words.ProposalState, { proposed: "warn", approved: "accent" });
export const ACTION_WORD = wordsOf(words.ProposedAction);
export const STEP_STATE = toned(words.ProposedStepState, { doing: "accent", undoing: "accent", done: "ok", failed: "fail", offered: "warn", "by hand": "warn" });

/** `37.4`: kilowatts with one digit, whole from a hundred on; never a number for what is not known. */
export function kw(watts: number | null | undefined): string {
  if (watts == null) return "?";
  const value = watts / 1_000;
  return value >= 99.95 ? Math.round(value).toLocaleString("en") : value.toFixed(1);
}

/** `37.4 kW`, `449 kW`, `4.06 MW`. */
export function power(watts: number | null | undefined): string {
  if (watts == null) return "not known";
  return watts >= 1_000_000 ? `${(watts / 1_000_000).toFixed(2)} MW` : `${kw(watts)} kW`;
}

/** `≥` where more is drawn than was measured. */
export const least = (atLeast: boolean, text: string): string => (atLeast ? `≥ ${text}` : text);

/** Of its limit; null where one of the two is not known. */
export const shareOf = (watts: number | null, limit: number | null): number | null => (watts === null || !limit ? null : watts / limit);
export const percent = (share: number | null | undefined): string => (share == null ? "?" : `${Math.round(share * 100)} %`);
export const degrees = (celsius: number | null | undefined): string => (celsius == null ? "?" : `${celsius.toFixed(1)} °C`);

/** `U33–34`, `U7`. */
export const unitsText = (from: number, to: number): string => (from === to ? `U${from}` : `U${from}–${to}`);

/** The end of a machine's name, which tells it from its neighbours in the rack: `01` of `hgx-d14-01`. */
export const shortName = (name: string): string => /(\d+)$/.exec(name)?.[1] ?? name.slice(-3);

/** `€16,787`; small sums with so many digits behind the point. */
export const money = (value: number | null, currency: string, small = 2): string => {
  if (value === null) return "not known";
  const digits = Math.abs(value) < 10 ? small : 0;
  try {
    return value.toLocaleString("en", { style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits });
  } catch {
    return `${value.toLocaleString("en", { maximumFractionDigits: digits })} ${currency}`.trim();
  }
};
