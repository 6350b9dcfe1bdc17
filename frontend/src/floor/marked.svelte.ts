/** Machines that are selected on the map or in the list, and doing one thing with all of them. */

/** Machines of one request: small enough that progress is seen, and far below the most that one may name. */
export const AT_ONCE = 20;

export interface Outcome {
  machine: number;
  name: string;
  done: boolean;
  reason: string;
}

/** Selected machines after these were drawn around: added, or taken out where all of them were selected before. */
export function toggled(marked: ReadonlySet<number>, machines: readonly number[]): ReadonlySet<number> {
  const next = new Set(marked);
  const out = machines.length > 0 && machines.every((id) => marked.has(id));
  for (const id of machines) {
    if (out) next.delete(id);
    else next.add(id);
  }
  return next;
}

/** One request after the other; `told` hears how many are through. Ends with the first that fails as a whole. */
export async function inPieces(machines: readonly number[], send: (piece: number[]) => Promise<readonly Outcome[]>, told: (outcomes: readonly Outcome[]) => void): Promise<Outcome[]> {
  const all: Outcome[] = [];
  for (let at = 0; at < machines.length; at += AT_ONCE) {
    all.push(...(await send(machines.slice(at, at + AT_ONCE))));
    told(all);
  }
  return all;
}

/** A selection; it stays as it is while something is done with it. */
export class Marked {
  machines = $state.raw<ReadonlySet<number>>(new Set());
  /** Something is under way. */
  handling = $state(false);

  toggle(machines: readonly number[]): void {
    if (!this.handling) this.machines = toggled(this.machines, machines);
  }

  clear(): void {
    if (!this.handling) this.machines = new Set();
  }
}
