/** Uploads of files, the jobs that read them, and imports from a NetBox. */
import { apiUrl, ApiError, cookie, errorFrom, get, post, request } from "../api/client.ts";
import type { Page } from "../api/types.ts";

export interface ImportRow {
  row: number;
  key: string;
  id: number | null;
  outcome: "created" | "changed" | "unchanged" | "refused";
  changes: Record<string, [unknown, unknown]>;
  errors: { field: string; reason: string; code: string }[];
}

export type Counts = Partial<Record<"created" | "changed" | "unchanged" | "refused", number>>;

export interface Import {
  id: number;
  kind: string;
  filename: string;
  mode: string;
  dry_run: boolean;
  status: "queued" | "running" | "done" | "refused" | "failed";
  progress: { done: number; total: number; stage: string };
  counts: Counts;
  rows: ImportRow[];
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  actor: string;
  message: string;
}

export const ended = (job: { status: string }) => ["done", "refused", "failed"].includes(job.status);

export const imports = () => get<Page<Import>>("imports/", { page_size: 20 });
export const importOf = (id: number) => get<Import>(`imports/${id}/`);
export const apply = (id: number) => request<Import>("POST", apiUrl(`imports/${id}/apply/`));
export const errorsUrl = (id: number) => apiUrl(`imports/${id}/errors.csv`);
/** A file with the header only: the export of no record. */
export const templateUrl = (kind: string) => apiUrl(`export/${kind}.csv`, { id: 0 });

/** Send a file; `told` hears how many bytes are out. A fetch does not tell that. */
export function upload(file: File, kind: string, mode: string, told: (sent: number, total: number) => void, signal: AbortSignal): Promise<Import> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", apiUrl("imports/"));
    sending.setRequestHeader("Accept", "application/json");
    sending.setRequestHeader("X-CSRFToken", cookie("csrftoken", document.cookie));
    sending.upload.onprogress = (event) => told(event.loaded, event.total);
    sending.onerror = () => reject(new ApiError(0, "unreachable", "The file did not arrive. Check the connection and try again."));
    sending.onabort = () => reject(new ApiError(0, "aborted", "The upload was stopped."));
    sending.onload = () => {
      let body: unknown = null;
      try {
        body = JSON.parse(sending.responseText);
      } catch {
        // What is not JSON is told by its status.
      }
      if (sending.status >= 200 && sending.status < 300) resolve(body as Import);
      else reject(errorFrom(sending.status, body, sending.getResponseHeader("X-Request-ID") ?? ""));
    };
    signal.addEventListener("abort", () => sending.abort());
    const form = new FormData();
    form.set("kind", kind);
    form.set("mode", mode);
    form.set("dry_run", "true");
    form.set("file", file);
    sending.send(form);
  });
}

// ---- NetBox ----

export interface Finding {
  [name: string]: unknown;
}
export interface NetBoxRun {
  id: number;
  url: string;
  version: string;
  dry_run: boolean;
  status: "reading" | "writing" | "done" | "failed";
  message: string;
  by: string;
  started_at: string;
  finished_at: string | null;
  progress: { stage: string | null; done: number; total: number };
  counts: Record<string, Counts>;
  findings: Finding[];
  findings_total: number;
}

export const netboxRuns = () => get<NetBoxRun[]>("imports/netbox/");
export const netboxRun = (id: number) => get<NetBoxRun>(`imports/netbox/${id}/`);
export const startNetbox = (body: { url: string; credential: string; dry_run: boolean; resume: boolean; options: Record<string, unknown> }) =>
  post<NetBoxRun>("imports/netbox/", body);
export const findingsUrl = (id: number) => apiUrl(`imports/netbox/${id}/findings.csv`);
export const netboxEnded = (run: NetBoxRun) => run.status === "done" || run.status === "failed";
