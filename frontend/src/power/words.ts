/** Words and numbers of power, as people read them. Pure. */
import { humanise, type Said, type Tone } from "../text.ts";
import type { LoadState, MeterState, Method, ProposalState, Severity } from "./shapes.ts";

export const STATE_WORD: Record<LoadState, string> = { ok: "within its limit", near: "near its limit", over: "over its limit", unknown: "not known" };
export const SEVERITY_TONE: Record<Severity, Tone> = { info: "accent", warn: "warn", bad: "fail" };

export const METHOD_WORD: Record<Method, string> = {
  pdu: "measured at the outlets",
  bmc: "measured by the BMCs",
  mixed: "measured partly at the outlets, partly by BMCs",
  none: "not measured",
};
/** Of energy: the method may be one that is newer than this page. */
const ENERGY_METHOD: Record<string, string> = { pdu: "Outlets", outlet: "Outlets", bmc: "BMC", mixed: "Outlets and BMC", model: "Model", none: "Not measured" };
export const energyMethod = (method: string): string => ENERGY_METHOD[method] ?? humanise(method);

export const METER_STATE: Record<MeterState, Said> = {
  never: { word: "Never read", tone: "", says: "It was added and has not answered yet." },
  ok: { word: "Ok", tone: "ok", says: "Its last values are in time." },
  late: { word: "Late", tone: "warn", says: "It has missed its period: its values are not known." },
  failed: { word: "Failed", tone: "fail", says: "It did not answer, or not in a way that could be read: see the message." },
  refused: { word: "Refused", tone: "fail", says: "It did not take the credential." },
};

export const PROPOSAL_STATE: Record<ProposalState, Said> = {
  proposed: { word: "Proposed", tone: "warn", says: "A person decides." },
  approved: { word: "Approved", tone: "accent", says: "Its steps are carried out in their order." },
  dismissed: { word: "Dismissed", tone: "", says: "Nothing is done." },
  done: { word: "Done", tone: "ok", says: "Every step was carried out." },
};

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
