/** Every call about checks, by name. */
import { apiUrl, del, get, patch, post, type Query } from "../api/client.ts";
import type { Page } from "../api/types.ts";
import type {
  CatalogueDetail,
  CatalogueItem,
  KernelImage,
  KernelLine,
  MatrixDocument,
  ObserveOnly,
  Override,
  Silence,
  Sweep,
  SweepDetail,
  SweepState,
  Timeline,
} from "./types.ts";

export const catalogue = (site: number | null) => get<CatalogueItem[]>("health/catalogue/", { site });
export const check = (id: string) => get<CatalogueDetail>(`health/catalogue/${encodeURIComponent(id)}/`);

export const overrides = (query: Query) => get<Page<Override>>("health/overrides/", query);
export const silences = (query: Query) => get<Page<Silence>>("health/silences/", query);
export const observed = (query: Query) => get<Page<ObserveOnly>>("health/observe-only/", query);
/** The three kinds of decisions by the last part of their route. */
export type Kind = "overrides" | "silences" | "observe-only";
export const decide = (kind: Kind, body: Record<string, unknown>) => post<{ id: number }>(`health/${kind}/`, body);
export const change = (kind: Kind, id: number, body: Record<string, unknown>) => patch(`health/${kind}/${id}/`, body);
export const end = (kind: Kind, id: number) => del(`health/${kind}/${id}/`);

const AT_ONCE = 4;
/** As many machines as the server gives at once. */
const A_PAGE = 1_000;
/** The matrix of a site, every page of it; all of it unless it is narrowed. */
export async function matrix(site: number, narrowed: { check?: string; only?: "bad" } = {}): Promise<MatrixDocument> {
  const asked = (page: number) => get<MatrixDocument>("health/matrix/", { ...narrowed, site, page, page_size: A_PAGE });
  const first = await asked(1);
  const machines = [...first.machines];
  // A few at once: the browser opens no more connections, and the server has others to serve.
  for (let page = 2; page <= first.pages; page += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, first.pages - page + 1) }, (_, i) => page + i);
    machines.push(...(await Promise.all(numbers.map(asked))).flatMap((each) => each.machines));
  }
  return { ...first, machines };
}
export const matrixCsvUrl = (query: Query) => apiUrl("health/matrix.csv", query);

export const sweeps = (query: Query) => get<Page<Sweep>>("sweeps/", query);
export const sweep = (id: number) => get<SweepDetail>(`sweeps/${id}/`);
export const sweepState = (site: number | null) => get<SweepState>("sweeps/state/", { site });
export const startSweep = (site: number) => post<Sweep>("sweeps/", { site });

export const kernelLines = (query: Query) => get<Page<KernelLine>>("health/kernel-lines/", query);
export const kernelImages = (site: number | null) => get<Page<KernelImage>>("health/kernel-images/", { site, page_size: 200 });
export const acceptLine = (id: number, body: { reason: string; owner: string; expires_at: string | null }) =>
  post<KernelLine>(`health/kernel-lines/${id}/accept/`, body);
export const markLine = (id: number, body: { verdict: string; reason: string }) => post<KernelLine>(`health/kernel-lines/${id}/mark-bad/`, body);
export const reopenLine = (id: number) => post<KernelLine>(`health/kernel-lines/${id}/reopen/`);

export const timeline = (machine: number, from: string, to: string) => get<Timeline>(`machines/${machine}/timeline/`, { from, to });
