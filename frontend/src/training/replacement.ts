/** Replacing a machine of a run: the calls, and how what they answer is said. */
import { get, post } from "../api/client.ts";
import { SpareDistance } from "../api/generated/words.ts";
import type { Body, Schemas } from "../api/schema.ts";

export type Replacement = Schemas["Replacement"];
export type Spare = Schemas["SpareMachine"];
export type HandOver = Schemas["HandOver"];

export const replacement = (run: number) => get("/api/runs/{id}/replacement/", { path: { id: run } });
export const handOver = (run: number, body: Body<"/api/runs/{id}/hand-overs/", "post">) =>
  post("/api/runs/{id}/hand-overs/", { path: { id: run }, body });

export const FORMS = ["slurm", "mpi", "torchrun", "json"] as const;
export type Form = (typeof FORMS)[number];
export const FORM_WORD: Record<Form, string> = { slurm: "Slurm", mpi: "MPI", torchrun: "torchrun", json: "JSON" };

/** "same leaf, golden, idle": why this one. */
export function whyThisOne(spare: Pick<Spare, "where" | "golden" | "idle">): string {
  const parts = [SpareDistance[spare.where].word.toLowerCase()];
  if (spare.golden) parts.push("golden");
  parts.push(spare.idle ? "idle" : "not known to be idle");
  return parts.join(", ");
}

/** Whether the guards let the machine be taken out, in a word with its tone. */
export function takingOut(machine: NonNullable<Replacement["machine"]>): { word: string; tone: string; says: string } {
  const { in_service, allowed, reason, frees } = machine.taking_out;
  if (!in_service) return { word: "Out of service", tone: "ok", says: machine.state ? `it is ${machine.state}` : "nothing is known of its health" };
  if (allowed) return { word: "Allowed", tone: "ok", says: "jobs that run there end first" };
  return { word: "Refused", tone: "warn", says: frees ? `${reason}; possible ${frees}` : reason };
}

/** "olga took hgx-c07-02 out of service; hgx-c12-03 came for it". */
export function said(row: Pick<HandOver, "by" | "left_name" | "came_name" | "taken_out">): string {
  const left = row.taken_out ? `${row.by} took ${row.left_name} out of service` : `${row.by} took ${row.left_name} out of the run`;
  return row.came_name ? `${left}; ${row.came_name} came for it` : `${left}; no machine came for it`;
}
