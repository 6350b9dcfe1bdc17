/** Every call about the fabric, by name. */
import { apiUrl, ApiError, cookie, del, errorFrom, get, patch, post, type Query } from "../api/client.ts";
import type { Page } from "../api/types.ts";
import type {
  AsBuiltPlan,
  BurnIn,
  BurnInDetail,
  BurnInPair,
  Discovery,
  FabricChanges,
  FabricEvent,
  FindingDetail,
  FindingItem,
  Heat,
  Incident,
  LengthEntry,
  LinkDetail,
  LinkHistory,
  LinkItem,
  LinksAt,
  Matrix,
  Misplaced,
  NameProposal,
  Overview,
  PortAction,
  PortPolicy,
  ReservedPort,
  SitePort,
  Source,
} from "./types.ts";

export const overview = (site: number) => get<Overview>("fabric/overview/", { site });
export const matrix = (site: number) => get<Matrix>("fabric/matrix/", { site });

export const sources = (query: Query = {}) => get<Page<Source>>("fabric/sources/", { page_size: 200, ...query });
export const source = (id: number) => get<Source>(`fabric/sources/${id}/`);
export const addSource = (body: Partial<Source>) => post<Source>("fabric/sources/", body);
export const changeSource = (id: number, body: Partial<Source>) => patch<Source>(`fabric/sources/${id}/`, body);
export const removeSource = (id: number) => del(`fabric/sources/${id}/`);
export const discover = (source: number) => post<Discovery>(`fabric/sources/${source}/discover/`);
export const discoveries = (query: Query) => get<Page<Discovery>>("fabric/discoveries/", query);
export const believe = (id: number, reason: string) => post<Discovery>(`fabric/discoveries/${id}/believe/`, { reason });
export const discovery = (id: number) => get<Discovery>(`fabric/discoveries/${id}/`);

export const findings = (query: Query) => get<Page<FindingItem>>("fabric/findings/", query);
export const finding = (id: number) => get<FindingDetail>(`fabric/findings/${id}/`);
export const reopenFinding = (id: number) => post<FindingDetail>(`fabric/findings/${id}/reopen/`);
export const acceptFinding = (id: number, reason: string) => post<FindingDetail>(`fabric/findings/${id}/accept/`, { reason });

export const names = (query: Query) => get<Page<NameProposal>>("fabric/names/", query);
export const approveNames = (ids: number[]) => post("fabric/names/approve/", { ids });
export const rejectName = (id: number, reason: string) => post(`fabric/names/${id}/reject/`, { reason });
export const nameMapUrl = (source: number) => apiUrl("fabric/names/node-name-map/", { source });
export const misplaced = (site: number) => get<Misplaced[]>("fabric/misplaced/", { site });

export const linksAt = (query: Query) => get<LinksAt>("fabric/at/", query);
export const changes = (query: Query) => get<FabricChanges>("fabric/changes/", query);

export const sitePorts = (query: Query) => get<Page<SitePort>>("fabric/ports/", query);
export const reservedPorts = (query: Query) => get<Page<ReservedPort>>("fabric/reserved-ports/", query);
export const reservePort = (body: { port: number; owner: string; reason: string; until: string | null }) => post<ReservedPort>("fabric/reserved-ports/", body);
export const freePort = (id: number) => del(`fabric/reserved-ports/${id}/`);
export const lengths = (query: Query) => get<Page<LengthEntry>>("fabric/length-table/", query);
export const addLength = (body: Partial<LengthEntry>) => post<LengthEntry>("fabric/length-table/", body);
export const removeLength = (id: number) => del(`fabric/length-table/${id}/`);
export const plans = (query: Query) => get<Page<AsBuiltPlan>>("fabric/plans/", query);
export const removePlan = (id: number) => del(`fabric/plans/${id}/`);

export const links = (query: Query) => get<Page<LinkItem>>("fabric/links/", query);
export const link = (key: string) => get<LinkDetail>(`fabric/links/${encodeURIComponent(key)}/`);
export const linkHistory = (key: string, from: string, to: string) =>
  get<LinkHistory>(`fabric/links/${encodeURIComponent(key)}/history/`, { from, to });
export const measureLink = (key: string) => post(`fabric/links/${encodeURIComponent(key)}/measure/`);
export const linkCsvUrl = (key: string, from: string, to: string) => apiUrl(`fabric/links/${encodeURIComponent(key)}/history.csv/`, { from, to });
export const heat = (site: number) => get<Heat>("fabric/heat/", { site });
export const events = (query: Query) => get<Page<FabricEvent>>("fabric/events/", query);
export const incidents = (query: Query) => get<Page<Incident>>("fabric/incidents/", query);
export const closeIncident = (id: number, reason: string) => post<Incident>(`fabric/incidents/${id}/close/`, { reason });
export const portActions = (query: Query) => get<Page<PortAction>>("fabric/port-actions/", query);
export const proposePort = (body: { source: number; link: string; action: PortAction["action"]; cause: string }) =>
  post<PortAction>("fabric/port-actions/", body);
export const approvePort = (id: number) => post<PortAction>(`fabric/port-actions/${id}/approve/`);
export const decidePort = (id: number, what: "refuse" | "enable", reason: string) =>
  post<PortAction>(`fabric/port-actions/${id}/${what}/`, { reason });
export const portPolicy = (site: number) => get<PortPolicy>(`fabric/port-policies/${site}/`);
export const burnIns = (query: Query) => get<Page<BurnIn>>("fabric/burn-ins/", query);
export const burnIn = (id: number) => get<BurnInDetail>(`fabric/burn-ins/${id}/`);
export const burnInPairs = (id: number, query: Query) => get<Page<BurnInPair>>(`fabric/burn-ins/${id}/pairs/`, query);
export const planBurnIn = (source: number) => post<BurnIn>("fabric/burn-ins/", { source });
export const startBurnIn = (id: number, forReal: boolean) => post<BurnIn>(`fabric/burn-ins/${id}/start/`, { for_real: forReal });
export const stopBurnIn = (id: number) => post<BurnIn>(`fabric/burn-ins/${id}/stop/`);

/** Send files; `told` hears the share that is out. A fetch does not tell that. */
export function upload<T>(path: string, form: FormData, told: (share: number) => void, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", apiUrl(path));
    sending.setRequestHeader("Accept", "application/json");
    sending.setRequestHeader("X-CSRFToken", cookie("csrftoken", document.cookie));
    sending.upload.onprogress = (event) => told(event.total ? event.loaded / event.total : 0);
    sending.onerror = () => reject(new ApiError(0, "unreachable", "The file did not arrive. Check the connection and try again."));
    sending.onabort = () => reject(new ApiError(0, "aborted", "The upload was stopped."));
    sending.onload = () => {
      const body = jsonOrNull(sending.responseText);
      if (sending.status >= 200 && sending.status < 300) resolve(body as T);
      else reject(errorFrom(sending.status, body, sending.getResponseHeader("X-Request-ID") ?? ""));
    };
    signal.addEventListener("abort", () => sending.abort());
    sending.send(form);
  });
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function uploadCapture(source: number, files: File[], told: (share: number) => void, signal: AbortSignal) {
  const form = new FormData();
  for (const file of files) form.append("files", file);
  return upload<Discovery>(`fabric/sources/${source}/upload/`, form, told, signal);
}

export function uploadPlan(site: number, name: string, file: File, told: (share: number) => void, signal: AbortSignal) {
  const form = new FormData();
  form.set("site", String(site));
  form.set("name", name);
  form.set("file", file);
  return upload<AsBuiltPlan>("fabric/plans/", form, told, signal);
}
