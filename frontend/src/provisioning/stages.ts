/** The board of stages: squares in order, words for what is stuck, the curve as a path. */
import { InstallFailure, Stage as STAGE, StageMark as MARK } from "../api/generated/words.ts";
import type { Schemas } from "../api/schema.ts";
import { codesOf } from "../text.ts";

export type Stages = Schemas["Stages"];
export type StageMachine = Schemas["StageMachine"];
export type Stage = StageMachine["stage"];
export type Mark = StageMachine["mark"];

export const STAGES: Stage[] = codesOf(STAGE);
/** What a person should look at stands first, at the bottom of its heap. */
const URGENCY: Mark[] = ["failed", "late", "running", "waiting", "done"];
export const MOST_SQUARES = 600;

export interface Heap {
  squares: { name: string; mark: Mark }[];
  /** Machines that no square stands for. */
  more: number;
}

/** One square a machine; those in service are not listed by name, only counted. */
export function heap(stage: Stage, count: number, machines: StageMachine[]): Heap {
  const named =
    stage === "in_service"
      ? Array.from({ length: Math.min(count, MOST_SQUARES) }, () => ({ name: "", mark: "done" as Mark }))
      : machines.filter((machine) => machine.stage === stage).map(({ name, mark }) => ({ name, mark }));
  const squares = named.sort((a, b) => URGENCY.indexOf(a.mark) - URGENCY.indexOf(b.mark)).slice(0, MOST_SQUARES);
  return { squares, more: count - squares.length };
}

/** What holds machines up: how they failed, or that they wait too long. */
export const stuckTitle = (failure: Stages["stuck"][number]["failure_class"]): string =>
  failure ? InstallFailure[failure].word : MARK.late.word;

/** How first boots failed, the most frequent first: `No power 3, No link 1`. */
export const failedBoots = (boots: Stages["first_boots"]): string =>
  boots.classes.map(({ failure_class, open, mended }) => `${InstallFailure[failure_class].word} ${open + mended}`).join(", ");

/** A path through how many were in service when, in a box of that size; empty with fewer than two points. */
export function curvePath(curve: Stages["curve"], width: number, height: number): string {
  if (curve.length < 2) return "";
  const times = curve.map((point) => Date.parse(point.at));
  const [from, to] = [times[0]!, times.at(-1)!];
  const [least, most] = [curve[0]!.count, curve.at(-1)!.count];
  const x = (at: number) => (to > from ? ((at - from) / (to - from)) * width : width);
  const y = (count: number) => height - (most > least ? ((count - least) / (most - least)) * height : 0);
  return curve.map((point, at) => `${at ? "L" : "M"}${x(times[at]!).toFixed(1)} ${y(point.count).toFixed(1)}`).join("");
}

export const percent = (part: number, of: number): string => (of ? `${((100 * part) / of).toFixed(1)} %` : "");
