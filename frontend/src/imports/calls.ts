/** Uploads of files, the jobs that read them, and imports from a NetBox. */
import { get, linkTo, post, whole, urlOf } from "../api/client.ts";
import type { Body, Schemas } from "../api/schema.ts";
import { upload } from "../api/upload.ts";

export type Import = Schemas["Import"];
export type ImportRow = Import["rows"][number];
export type Counts = Partial<Record<ImportRow["outcome"], number>>;

export const ended = (job: { status: string }) => ["done", "refused", "failed"].includes(job.status);

export const imports = () => get("/api/imports/", { query: { page_size: 20 } });
export const importOf = (id: number) => get("/api/imports/{id}/", { path: { id } });
export const apply = (id: number) => post("/api/imports/{id}/apply/", { path: { id } });
export const errorsUrl = (id: number) => linkTo("/api/imports/{id}/errors.csv", { path: { id } });
/** A file with the header only: the export of no record. */
export const templateUrl = (kind: string) => urlOf("/api/export/{kind}.{file_format}", { path: { kind, file_format: "csv" }, query: { id: 0 } });

/** Send a file to be tried; `told` hears how many bytes are out. */
export function send(file: File, kind: string, mode: string, told: (sent: number, total: number) => void, signal: AbortSignal): Promise<Import> {
  const form = new FormData();
  form.set("kind", kind);
  form.set("mode", mode);
  form.set("dry_run", "true");
  form.set("file", file);
  return upload("/api/imports/", form, { told, signal });
}

// ---- NetBox ----

export type NetBoxRun = Schemas["NetBoxRun"];
export type Finding = Schemas["NetBoxFinding"];

export const netboxRuns = () => whole(get("/api/imports/netbox/"));
export const netboxRun = (id: number) => get("/api/imports/netbox/{id}/", { path: { id } });
export const startNetbox = (body: Body<"/api/imports/netbox/", "post">) =>
  post("/api/imports/netbox/", { body });
export const findingsUrl = (id: number) => linkTo("/api/imports/netbox/{id}/findings.csv", { path: { id } });
export const netboxEnded = (run: NetBoxRun) => run.status === "done" || run.status === "failed";
