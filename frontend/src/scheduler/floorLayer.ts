/** The floor coloured by job, account or partition. Pure: from the answer of the scheduler's floor to a layer and its legend. */
import type { Cell, FloorOfScheduler, MachineRow } from "../api/shapes.ts";
import { COLOURS, type Group, groupLayer, largestFirst, OTHERS } from "../map/groups.ts";
import type { Layer } from "../map/layer.ts";

export const BY = ["job", "account", "partition"] as const;
export type By = (typeof BY)[number];
export const BY_WORD: Record<By, string> = { job: "Job", account: "Account", partition: "Partition" };
interface Job {
  id: number;
  label: string;
  name: string;
  user: string | null;
  account: string;
  machines: number[];
}

export interface Coloured {
  groups: Group[];
  others: number;
  idle: number;
  unknown: number;
  layer: Layer;
}

export const IDLE = "idle";
export const UNKNOWN = "unknown";

export function jobsOf(data: FloorOfScheduler): Job[] {
  const at = Object.fromEntries(data.jobs.columns.map((name, i) => [name, i]));
  return data.jobs.rows.map((row) => {
    const value = (name: string) => row[at[name]!] as unknown;
    return {
      id: value("id") as number,
      label: value("label") as string,
      name: value("name") as string,
      user: value("user") as string | null,
      account: value("account") as string,
      machines: value("machines") as number[],
    };
  });
}

/** Key, name and words of each group with its machines; of a machine in several the first is shown. */
function membersOf(data: FloorOfScheduler, by: By): { key: string; word: string; says: string; machines: number[] }[] {
  const jobs = jobsOf(data);
  if (by === "job") {
    return jobs.map((job) => ({
      key: String(job.id),
      word: job.name ? `${job.label} ${job.name}` : job.label,
      says: [job.user, job.account].filter(Boolean).join(", "),
      machines: job.machines,
    }));
  }
  if (by === "account") {
    const found = new Map<string, number[]>();
    for (const job of jobs) found.set(job.account, [...(found.get(job.account) ?? []), ...job.machines]);
    return [...found].map(([account, machines]) => ({ key: account || "-", word: account || "No account", says: "", machines }));
  }
  // A small partition says more of a machine than the one of all machines.
  return data.partitions
    .map((each) => ({ key: each.name, word: each.name, says: each.state, machines: each.machines }))
    .sort((a, b) => a.machines.length - b.machines.length);
}

export function coloured(data: FloorOfScheduler, by: By, machines: Iterable<MachineRow>, chosen: ReadonlySet<string>): Coloured {
  const of = new Map<number, { key: string; word: string; also: number }>();
  const says = new Map<string, { word: string; says: string }>();
  for (const group of membersOf(data, by)) {
    says.set(group.key, { word: group.word, says: group.says });
    for (const id of new Set(group.machines)) {
      const known = of.get(id);
      if (known) known.also += 1;
      else of.set(id, { key: group.key, word: group.word, also: 0 });
    }
  }
  const named = new Set(data.named);
  const counts = new Map<string, number>();
  let [idle, unknown] = [0, 0];
  for (const machine of machines) {
    const group = of.get(machine.id);
    if (group) counts.set(group.key, (counts.get(group.key) ?? 0) + 1);
    else if (named.has(machine.id)) idle += 1;
    else unknown += 1;
  }
  const order = largestFirst(counts);
  const numbers = new Map(order.map(({ key, number }) => [key, number]));
  const groups = order.slice(0, COLOURS).map((group) => ({ ...group, ...says.get(group.key)! }));
  const cellOf = (machine: { id: number }): Cell => (named.has(machine.id) || of.has(machine.id) ? "available" : "no_signal");
  const nothing = by === "partition" ? "no partition" : "no job";
  const wordOf = (cell: Cell): string => (cell === "no_signal" ? "Not in the scheduler" : nothing);
  const textOf = (machine: { id: number }): string => {
    const group = of.get(machine.id);
    if (!group) return wordOf(cellOf(machine)).toLowerCase();
    return group.also ? `${group.word} + ${group.also}` : group.word;
  };
  const layer = groupLayer(
    {
      cellOf,
      wordOf,
      textOf,
      numberOf: (machine) => {
        const group = of.get(machine.id);
        return group ? (numbers.get(group.key) ?? 0) : null;
      },
      chipOf: (machine) => {
        const group = of.get(machine.id);
        if (!group) return named.has(machine.id) ? IDLE : UNKNOWN;
        return numbers.get(group.key) ? group.key : OTHERS;
      },
    },
    chosen,
  );
  return { groups, others: order.slice(COLOURS).reduce((sum, { machines }) => sum + machines, 0), idle, unknown, layer };
}
