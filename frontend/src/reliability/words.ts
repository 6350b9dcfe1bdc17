/** Reliability in an operator's words. */
import * as words from "../api/generated/words.ts";
import { toned, wordFor, wordsOf } from "../text.ts";
import type { ReporterKind, WatchdogSign } from "./shapes.ts";

export const SIGN_STATE = toned(words.WatchedSign, { ok: "ok", late: "fail", never: "fail", unknown: "warn", broken: "fail" });

const KIND: Record<string, string> = wordsOf(words.WatchedKind);

/** `Workers: checks`, or just `The clock of periodic work` where there is one of the kind. */
export function signName(sign: Pick<WatchdogSign, "kind" | "name">): string {
  const kind = wordFor(KIND, sign.kind);
  return sign.name && sign.name !== sign.kind ? `${kind}: ${sign.name}` : kind;
}

export const REPORTER_KIND = wordsOf(words.ReporterKind);

/** How this system sends its first result; `origin` is this address. */
export function recipe(kind: ReporterKind, origin: string, token: string): string {
  const url = `${origin}/api/health/reports/`;
  if (kind === "alertmanager") {
    return `receivers:\n  - name: rackside\n    webhook_configs:\n      - url: ${url}\n        send_resolved: true\n        http_config:\n          authorization:\n            type: Bearer\n            credentials: ${token}`;
  }
  return `curl -sS ${url} -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\\n  -d '[{"machine": "NAME", "check": "disk", "verdict": "ok", "message": "all mounted"}]'`;
}
