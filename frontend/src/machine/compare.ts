/** Two machines side by side: what they are, what is in them, what their checks say. Serials and names differ always and are left out. Pure. */
import type { CheckResult, Component, Machine, Verdict } from "../api/shapes.ts";
import { CELL_WORD, humanise, VERDICT_WORD } from "../text.ts";

export interface Side {
  machine: Machine;
  parts: Component[];
  verdicts: CheckResult[];
}

export interface Row {
  name: string;
  a: string;
  b: string;
  differs: boolean;
  /** Of a check: the verdicts, to draw them. */
  verdicts?: [Verdict | null, Verdict | null];
}

export interface Group {
  title: string;
  rows: Row[];
}

const row = (name: string, a: string, b: string): Row => ({ name, a, b, differs: a !== b });
const byName = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

/** What a part has as its own, like its serial. */
const OWN = ["guid", "mac", "port_guid", "uuid"];

/** `NVIDIA 935-24287-0000, Firmware 96.00.99`: a part without what is its own. */
export function partWords(part: Component): string {
  const attributes = Object.entries(part.attributes).filter(([name]) => !OWN.includes(name)).sort(([a], [b]) => byName(a, b)).map(([name, value]) => `${humanise(name)} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`);
  return [`${part.vendor} ${part.part_number}`.trim(), ...attributes].filter(Boolean).join(", ");
}

function facts({ machine: a }: Side, { machine: b }: Side): Row[] {
  const of = (machine: Machine): [string, string][] => [
    ["Model", `${machine.model.vendor} ${machine.model.name}`.trim()],
    ["State", CELL_WORD[machine.health.cell]],
    ["Pool", machine.pool ?? "none"],
    ["BMC", machine.bmc ?? "not known"],
    ["Power", machine.health.power],
  ];
  const right = new Map(of(b));
  return of(a).map(([name, value]) => row(name, value, right.get(name) ?? ""));
}

/** One row for each slot that either has. */
function parts(a: Side, b: Side): Row[] {
  const [left, right] = [a, b].map((side) => new Map(side.parts.map((part) => [part.text, partWords(part)])));
  return [...new Set([...left!.keys(), ...right!.keys()])].sort(byName).map((slot) => row(slot, left!.get(slot) ?? "empty", right!.get(slot) ?? "empty"));
}

/** One row for each check of each part; a check that one has not been asked differs. */
function checks(a: Side, b: Side): Row[] {
  const key = (result: CheckResult) => [result.title, result.part_text].filter(Boolean).join(", ");
  const [left, right] = [a, b].map((side) => new Map(side.verdicts.map((result) => [key(result), result])));
  const words = (result: CheckResult | undefined) => (!result ? "not checked" : result.verdict === "ok" ? VERDICT_WORD.ok : `${VERDICT_WORD[result.verdict]}: ${result.message}`);
  return [...new Set([...left!.keys(), ...right!.keys()])].sort(byName).map((name) => {
    const [one, other] = [left!.get(name), right!.get(name)];
    // Readings in a message move all the time: two that pass are alike.
    return { ...row(name, words(one), words(other)), verdicts: [one?.verdict ?? null, other?.verdict ?? null] };
  });
}

export const groupsOf = (a: Side, b: Side): Group[] => [
  { title: "Machine", rows: facts(a, b) },
  { title: "Components", rows: parts(a, b) },
  { title: "Checks", rows: checks(a, b) },
];

export const differences = (groups: readonly Group[]): number => groups.reduce((sum, group) => sum + group.rows.filter((each) => each.differs).length, 0);
