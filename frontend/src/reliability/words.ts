/** Reliability in an operator's words. */
import { humanise, type Said } from "../text.ts";
import type { ReporterKind, WatchdogSign } from "./types.ts";

export const SIGN_STATE: Record<WatchdogSign["state"], Said> = {
  ok: { word: "Alive", tone: "ok", says: "The last sign came in time." },
  late: { word: "Late", tone: "fail", says: "The next sign is overdue." },
  never: { word: "Never seen", tone: "fail", says: "There was no heartbeat yet, and there should have been." },
  unknown: { word: "Unknown", tone: "warn", says: "What would report it is down itself." },
  broken: { word: "Broken", tone: "fail", says: "It cannot be used as it is stored." },
};

const KIND: Record<string, string> = { sweeps: "Sweeps", beat: "The clock of periodic work", workers: "Workers", feed: "Live feed", source: "Reporter", scheduler: "Scheduler", device_model: "Device model" };

/** `Workers: checks`, or just `The clock of periodic work` where there is one of the kind. */
export function signName(sign: Pick<WatchdogSign, "kind" | "name">): string {
  const kind = KIND[sign.kind] ?? humanise(sign.kind);
  return sign.name && sign.name !== sign.kind ? `${kind}: ${sign.name}` : kind;
}

export const REPORTER_KIND: Record<ReporterKind, string> = {
  generic: "Scripts and cron jobs",
  nhc: "Node Health Check (NHC)",
  alertmanager: "Prometheus Alertmanager",
  agent: "An agent on the machines",
};

/** How this system sends its first result; `origin` is this address. */
export function recipe(kind: ReporterKind, origin: string, token: string): string {
  const url = `${origin}/api/health/reports/`;
  if (kind === "alertmanager") {
    return `receivers:\n  - name: rackside\n    webhook_configs:\n      - url: ${url}\n        send_resolved: true\n        http_config:\n          authorization:\n            type: Bearer\n            credentials: ${token}`;
  }
  return `curl -sS ${url} -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\\n  -d '[{"machine": "NAME", "check": "disk", "verdict": "ok", "message": "all mounted"}]'`;
}
