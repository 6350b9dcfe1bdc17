/** A feed as a one-line diagram: its links from the panel to the machines, side by side, each with load and limit. Pure. */
import { plural } from "../text.ts";
import type { Carries, FeedLink, FeedPower, LoadState } from "./shapes.ts";
import { kw, percent, shareOf, shortName } from "./words.ts";

export type Symbol = FeedLink["kind"];

export interface Station {
  key: string;
  symbol: Symbol;
  name: string;
  detail: string;
  now: string;
  of: string;
  /** Of its limit, 0 to 1; null where one of the two is not known. */
  share: number | null;
  state: LoadState;
  /** `peak 24.1`: of the last day, in words and of its limit. */
  peak: string;
  peakShare: number | null;
  /** What it carries when the other side fails. */
  fails: { text: string; over: boolean; near: boolean; word: string } | null;
}

export interface OneLine {
  stations: Station[];
  /** Machines at the end of the line: as many as there is room for. */
  machines: { id: number; label: string; name: string }[];
  more: number;
  /** What else carries more when this feed fails. */
  others: Carries[];
}

const MOST_MACHINES = 4;
/** From this share of its limit on something is short of room. */
const NEAR = 0.95;

const sum = (values: (number | null)[]): number | null => (values.some((value) => value === null) ? null : values.reduce<number>((total, value) => total + value!, 0));

export function oneLineOf(data: FeedPower): OneLine {
  const { links, machines, if_fails: fails } = data;
  const carried = new Map(fails.carries.map((each) => [`${each.kind}${each.id}`, each]));
  const used = new Set<Carries>();
  const stations = links
    .filter((link) => link.kind !== "machines")
    .map((link): Station => {
      const carries = carried.get(`${link.kind}${link.id}`);
      if (carries) used.add(carries);
      return {
        key: `${link.kind}${link.id}`,
        symbol: link.kind,
        name: link.name,
        detail: link.detail,
        now: link.now_w === null ? "?" : kw(link.now_w),
        of: link.limit_w === null ? "limit not known" : `of ${kw(link.limit_w)} kW`,
        share: link.share,
        state: link.state,
        peak: link.peak_w === null ? "" : `peak ${kw(link.peak_w)}`,
        peakShare: shareOf(link.peak_w, link.limit_w),
        fails: carries ? failsOf(carries) : null,
      };
    });
  const fanned = machines.filter((each) => each.kind === "machine");
  const drawn = sum(machines.map((machine) => machine.now_w));
  if (machines.length) {
    const known = machines.filter((machine) => machine.now_w !== null);
    const text = drawn === null ? (known.length ? `≥ ${kw(sum(known.map((machine) => machine.now_w)))}` : "?") : kw(drawn);
    stations.push({ key: "machines", symbol: "machines", name: fanned.length === 1 ? fanned[0]!.name : plural(fanned.length, "machine"), detail: fanned.length < machines.length ? `and ${plural(machines.length - fanned.length, "other")}` : "their supplies", now: text, of: "kW here", share: null, state: drawn === null ? "unknown" : "ok", peak: "", peakShare: null, fails: null });
  }
  return {
    stations,
    machines: fanned.slice(0, MOST_MACHINES).map(({ id, name }) => ({ id, name, label: `-${shortName(name)}` })),
    more: Math.max(0, fanned.length - MOST_MACHINES),
    others: fails.carries.filter((each) => !used.has(each)),
  };
}

export function failsOf(carries: Carries): NonNullable<Station["fails"]> {
  const { share, trips } = carries;
  const over = carries.over === true;
  const word = over ? (trips ? "trips" : "over its limit") : carries.over === null ? "not known" : "";
  return { text: percent(share), over, near: !over && share !== null && share >= NEAR, word };
}
