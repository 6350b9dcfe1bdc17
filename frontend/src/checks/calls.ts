/** Every call about checks, by name. */
import { del, exchange, get, linkTo, post, whole } from "../api/client.ts";
import type { Body, Query } from "../api/schema.ts";
import type { MatrixDocument } from "./shapes.ts";

export const catalogue = (site: number | null) => whole(get("/api/health/catalogue/", { query: { site } }));
export const check = (id: string) => get("/api/health/catalogue/{check}/", { path: { check: id } });

export const overrides = (query: Query<"/api/health/overrides/">) => get("/api/health/overrides/", { query });
export const silences = (query: Query<"/api/health/silences/">) => get("/api/health/silences/", { query });
export const observed = (query: Query<"/api/health/audit-mode/">) => get("/api/health/audit-mode/", { query });
/** The three kinds of decisions by the last part of their route. */
export type Kind = "overrides" | "silences" | "audit-mode";
// Which body fits is known where the kind is (decisions.ts).
export const decide = async (kind: Kind, body: object) => (await exchange<{ id: number }>("post", `/api/health/${kind}/`, { body })).data;
export const change = async (kind: Kind, id: number, body: object) => (await exchange("patch", `/api/health/${kind}/{id}/`, { path: { id }, body })).data;
export const end = (kind: Kind, id: number) => del(`/api/health/${kind}/{id}/`, { path: { id } });

const AT_ONCE = 4;
/** As many machines as the server gives at once. */
const A_PAGE = 1_000;
/** The matrix of a site, every page of it; all of it unless it is narrowed. */
export async function matrix(site: number, narrowed: { check?: string; only?: "bad" } = {}): Promise<MatrixDocument> {
  const asked = (page: number) => get("/api/health/matrix/", { query: { ...narrowed, site, page, page_size: A_PAGE } });
  const first = await asked(1);
  const machines = [...first.machines];
  // A few at once: the browser opens no more connections, and the server has others to serve.
  for (let page = 2; page <= first.pages; page += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, first.pages - page + 1) }, (_, i) => page + i);
    machines.push(...(await Promise.all(numbers.map(asked))).flatMap((each) => each.machines));
  }
  return { ...first, machines };
}
export const matrixCsvUrl = (query: Query<"/api/health/matrix.csv">) => linkTo("/api/health/matrix.csv", { query });

export const sweeps = (query: Query<"/api/sweeps/">) => get("/api/sweeps/", { query });
export const sweep = (id: number) => get("/api/sweeps/{id}/", { path: { id } });
export const sweepState = (site: number | null) => get("/api/sweeps/state/", { query: { site } });
export const startSweep = (site: number) => post("/api/sweeps/", { body: { site } });

export const kernelLines = (query: Query<"/api/health/kernel-lines/">) => get("/api/health/kernel-lines/", { query });
export const kernelImages = (site: number | null) => get("/api/health/kernel-images/", { query: { site, page_size: 200 } });
export const acceptLine = (id: number, body: Body<"/api/health/kernel-lines/{id}/accept/", "post">) =>
  post("/api/health/kernel-lines/{id}/accept/", { path: { id }, body });
export const markLine = (id: number, body: Body<"/api/health/kernel-lines/{id}/mark-bad/", "post">) => post("/api/health/kernel-lines/{id}/mark-bad/", { path: { id }, body });
export const reopenLine = (id: number) => post("/api/health/kernel-lines/{id}/reopen/", { path: { id } });

export const timeline = (machine: number, from: string, to: string) => get("/api/machines/{id}/timeline/", { path: { id: machine }, query: { from, to } });
