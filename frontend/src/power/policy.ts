/** A site's policy in a form. Pure. */
import type { Policy } from "./shapes.ts";

type NumberName = "load_percent" | "imbalance_percent" | "inlet_c" | "rise_c_per_min" | "gpu_great_c" | "gpu_good_c" | "port_c" | "tariff_per_kwh" | "co2_g_per_kwh" | "emergency_gpu_percent" | "shut_down_at_once";

export type Draft = Record<NumberName, number | null> & { currency: string; acting: boolean };

export interface Field {
  name: NumberName;
  word: string;
  unit: string;
  says: string;
  min: number;
  max: number;
  /** May be left empty: not known. */
  optional?: boolean;
}

export const LIMIT_FIELDS: Field[] = [
  { name: "load_percent", word: "Load of a breaker at most", unit: "%", says: "Of what its size allows; 80 % is the usual rule for a load that stays.", min: 10, max: 100 },
  { name: "imbalance_percent", word: "Imbalance of phases at most", unit: "%", says: "How far the fullest phase may be above the mean of them.", min: 1, max: 100 },
  { name: "inlet_c", word: "Inlet recommended to", unit: "°C", says: "Where a device model names its own class, that one counts for it.", min: 10, max: 60 },
  { name: "rise_c_per_min", word: "Rate of rise at most", unit: "°C a minute", says: "Beyond it steps are proposed: a cooling unit has failed.", min: 0.05, max: 60 },
  { name: "gpu_great_c", word: "GPUs great to", unit: "°C", says: "Cooler leaves room for the warmest day.", min: 30, max: 110 },
  { name: "gpu_good_c", word: "GPUs good below", unit: "°C", says: "Where clocks are held down, the limits of each model say.", min: 30, max: 110 },
  { name: "port_c", word: "Switch ports up to", unit: "°C", says: "A warmer one is a finding.", min: 30, max: 110 },
];
export const PRICE_FIELDS: Field[] = [
  { name: "tariff_per_kwh", word: "Tariff", unit: "a kWh", says: "Empty: cost is not known.", min: 0, max: 9_999, optional: true },
  { name: "co2_g_per_kwh", word: "CO₂ factor", unit: "g a kWh", says: "Of the site's supply. Empty: CO₂ is not known.", min: 0, max: 5_000, optional: true },
];
export const ACTING_FIELDS: Field[] = [
  { name: "emergency_gpu_percent", word: "GPUs in an emergency", unit: "% of their limit", says: "Of the power limit of their model. Empty: none is limited.", min: 20, max: 100, optional: true },
  { name: "shut_down_at_once", word: "Machines on their way down", unit: "at a time", says: "The next ones follow when these are off.", min: 1, max: 1_000 },
];

const NAMES: NumberName[] = [...LIMIT_FIELDS, ...PRICE_FIELDS, ...ACTING_FIELDS].map((field) => field.name);

export const draftOf = (policy: Policy): Draft => ({ ...(Object.fromEntries(NAMES.map((name) => [name, policy[name]])) as Record<NumberName, number | null>), currency: policy.currency, acting: policy.acting });

/** Only what differs; an emptied field is null, not nought. */
export function changed(policy: Policy, draft: Draft): Partial<Policy> {
  const was = draftOf(policy);
  return Object.fromEntries(Object.entries(draft).filter(([name, value]) => (value ?? null) !== was[name as keyof Draft]).map(([name, value]) => [name, value ?? null]));
}
