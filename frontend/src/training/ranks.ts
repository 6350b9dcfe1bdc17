/** The ranks of a training run, and the machines they run on. */
import * as api from "../api/calls.ts";
import type { RunRank } from "../api/shapes.ts";

const A_PAGE = 1000;

/** All of them: pages of the list, one after another. */
export async function allRanks(run: number): Promise<RunRank[]> {
  const found: RunRank[] = [];
  for (let turn = 1; ; turn += 1) {
    const part = await api.trainingRanks(run, { page: turn, page_size: A_PAGE });
    found.push(...part.results);
    if (!part.next) return found;
  }
}

/** Those that the inventory knows, each once, in the order of their ranks. */
export const machinesOf = (ranks: readonly Pick<RunRank, "machine">[]): number[] => [...new Set(ranks.map(({ machine }) => machine).filter((machine) => machine !== null))];

export const machinesOfRun = async (run: number): Promise<number[]> => machinesOf(await allRanks(run));
