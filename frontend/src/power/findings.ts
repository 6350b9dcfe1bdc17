/** Findings in the order in which they matter; those that follow from one cause below it. Pure. */
import { plural } from "../text.ts";
import type { Finding } from "./shapes.ts";
import { SEVERITIES } from "./words.ts";

export interface Cause {
  head: Finding;
  /** What follows from it. */
  rest: Finding[];
}

const rank = ({ severity, subject }: Finding): number => 2 * SEVERITIES.indexOf(severity) + Number(subject.kind === "machine");

/** The worst first. A feed or a rack stands for what its machines say; what is wrong with the cause itself is not folded: a leak of a unit whose pump fails as well. */
export function byCause(findings: readonly Finding[]): Cause[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = finding.incident || `finding ${finding.id}`;
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()]
    .flatMap((group): Cause[] => {
      const sorted = [...group].sort((a, b) => rank(a) - rank(b));
      const isCause = ({ subject }: Finding) => subject.kind === sorted[0]!.subject.kind && subject.id === sorted[0]!.subject.id;
      const rest = sorted.filter((finding) => !isCause(finding));
      return sorted.filter(isCause).map((head, at) => ({ head, rest: at === 0 ? rest : [] }));
    })
    .sort((a, b) => rank(a.head) - rank(b.head));
}

/** `22 findings at 4 machines follow from it`. */
export function restWords(rest: readonly Finding[]): string {
  const machines = new Set(rest.filter(({ subject }) => subject.kind === "machine").map(({ subject }) => subject.id)).size;
  return `${plural(rest.length, "finding")}${machines ? ` at ${plural(machines, "machine")}` : ""} ${rest.length === 1 ? "follows" : "follow"} from it`;
}
