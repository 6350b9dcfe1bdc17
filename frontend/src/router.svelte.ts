/** The address bar as reactive state. Every view state lives in it, so that Back, reload and a shared link work. */

export interface Route {
  name:
    | "floor" | "machines" | "machine" | "tickets" | "ticket" | "runbooks" | "runbook" | "runs" | "run" | "stages" | "limits" | "intake" | "intakeFloor" | "returns" | "bmcs"
    | "images" | "mirrors" | "software" | "bmcSetup"
    | "round" | "images" | "mirrors" | "software" | "bmcSetup"
    | "racks" | "rack" | "row" | "cables" | "cable" | "port" | "spares" | "rma" | "component" | "newDevice" | "device" | "place"
    | "history" | "tables" | "table" | "import" | "export" | "reports"
    | "power" | "fabric" | "findings" | "finding" | "links" | "link" | "heat" | "fabricEvents" | "disabledPorts" | "burnIns" | "burnIn"
    | "fabricNames" | "fabricChanges" | "fabricSources" | "fabricSource" | "discovery" | "fabricPlan"
    | "matrix" | "catalogue" | "check" | "sweeps" | "sweep" | "kernelLines" | "muted" | "trends" | "insight" | "lemons" | "drift" | "golden" | "reporters" | "watchdog"
    | "automation" | "incidents" | "incident" | "actions" | "rules" | "responses" | "activeRuns" | "activeRun" | "scheduler" | "pools"
    | "trainingRuns" | "trainingRun" | "trainingLosses" | "trainingComparison" | "fitToStart"
    | "jobs" | "job" | "jobQueue" | "partitions" | "schedulerNodes" | "jobHistory"
    | "identities" | "deskPolicies" | "vendorContacts" | "webhooks" | "webhook" | "messageChannels" | "onCall" | "messages" | "ticketSystems" | "myMessages" | "tokens" | "handOver" | "wall" | "machineCompare" | "nowhere";
  id: string;
}

const PATTERNS: [Route["name"], RegExp][] = [
  ["floor", /^\/$/],
  ["machines", /^\/machines\/?$/],
  ["machine", /^\/machines\/(\d+)\/?$/],
  ["tickets", /^\/tickets\/?$/],
  ["round", /^\/tickets\/round\/?$/],
  ["ticket", /^\/tickets\/([A-Za-z0-9-]+)\/?$/],
  ["runbooks", /^\/runbooks\/?$/],
  ["runbook", /^\/runbooks\/([a-z0-9-]+)\/?$/],
  ["runs", /^\/provisioning\/?$/],
  ["run", /^\/provisioning\/(\d+)\/?$/],
  ["stages", /^\/provisioning\/stages\/?$/],
  ["limits", /^\/provisioning\/limits\/?$/],
  ["intake", /^\/provisioning\/intake\/?$/],
  ["intakeFloor", /^\/provisioning\/intake\/floor\/?$/],
  ["returns", /^\/provisioning\/returns\/?$/],
  ["bmcs", /^\/provisioning\/discovery\/?$/],
  ["images", /^\/provisioning\/images\/?$/],
  ["mirrors", /^\/provisioning\/mirrors\/?$/],
  ["bmcSetup", /^\/provisioning\/bmc\/?$/],
  ["software", /^\/provisioning\/software\/?$/],
  ["racks", /^\/racks\/?$/],
  ["rack", /^\/racks\/(\d+)\/?$/],
  ["row", /^\/rows\/(\d+)\/?$/],
  ["cables", /^\/cables\/?$/],
  ["cable", /^\/cables\/(\d+)\/?$/],
  ["port", /^\/ports\/(\d+)\/?$/],
  ["power", /^\/power(?:\/(.+?))?\/?$/], // its pages: power/pages.ts
  ["spares", /^\/spares\/?$/],
  ["rma", /^\/rma\/?$/],
  ["component", /^\/components\/(\d+)\/?$/],
  ["newDevice", /^\/devices\/new\/?$/],
  ["device", /^\/devices\/(\d+)\/?$/],
  ["place", /^\/devices\/(\d+)\/place\/?$/],
  ["history", /^\/history\/?$/],
  ["tables", /^\/tables\/?$/],
  ["table", /^\/tables\/([a-z][a-z0-9-]*)\/?$/],
  ["import", /^\/import\/?$/],
  ["export", /^\/export\/?$/],
  ["reports", /^\/reports\/?$/],
  ["fabric", /^\/fabric\/?$/],
  ["findings", /^\/fabric\/findings\/?$/],
  ["finding", /^\/fabric\/findings\/(\d+)\/?$/],
  ["links", /^\/fabric\/links\/?$/],
  ["link", /^\/fabric\/links\/([^/]+)\/?$/],
  ["heat", /^\/fabric\/heat\/?$/],
  ["fabricEvents", /^\/fabric\/events\/?$/],
  ["disabledPorts", /^\/fabric\/disabled\/?$/],
  ["burnIns", /^\/fabric\/burn-in\/?$/],
  ["burnIn", /^\/fabric\/burn-in\/(\d+)\/?$/],
  ["fabricNames", /^\/fabric\/names\/?$/],
  ["fabricChanges", /^\/fabric\/changes\/?$/],
  ["fabricSources", /^\/fabric\/sources\/?$/],
  ["fabricSource", /^\/fabric\/sources\/(\d+)\/?$/],
  ["discovery", /^\/fabric\/discoveries\/(\d+)\/?$/],
  ["fabricPlan", /^\/fabric\/plan\/?$/],
  ["matrix", /^\/checks\/?$/],
  ["catalogue", /^\/checks\/catalogue\/?$/],
  ["check", /^\/checks\/catalogue\/((?:[a-z0-9-]+\/)?[\w.:-]+)\/?$/],
  ["sweeps", /^\/checks\/sweeps\/?$/],
  ["sweep", /^\/checks\/sweeps\/(\d+)\/?$/],
  ["kernelLines", /^\/checks\/kernel-lines\/?$/],
  ["muted", /^\/checks\/muted\/?$/],
  ["trends", /^\/reliability\/?$/],
  ["insight", /^\/insight\/?$/],
  ["lemons", /^\/reliability\/lemons\/?$/],
  ["drift", /^\/reliability\/drift\/?$/],
  ["golden", /^\/reliability\/golden\/?$/],
  ["reporters", /^\/reliability\/reporters\/?$/],
  ["watchdog", /^\/reliability\/watchdog\/?$/],
  ["automation", /^\/automation\/?$/],
  ["incidents", /^\/automation\/incidents\/?$/],
  ["incident", /^\/automation\/incidents\/(\d+)\/?$/],
  ["actions", /^\/automation\/actions\/?$/],
  ["rules", /^\/automation\/rules\/?$/],
  ["responses", /^\/automation\/responses\/?$/],
  ["activeRuns", /^\/automation\/tests\/?$/],
  ["activeRun", /^\/automation\/tests\/(\d+)\/?$/],
  ["scheduler", /^\/automation\/scheduler\/?$/],
  ["pools", /^\/automation\/pools\/?$/],
  ["trainingRuns", /^\/training\/?$/],
  ["trainingLosses", /^\/training\/losses\/?$/],
  ["fitToStart", /^\/training\/fit\/?$/],
  ["trainingRun", /^\/training\/(\d+)\/?$/],
  ["trainingComparison", /^\/training\/(\d+\/compare(?:\/\d+)?)\/?$/],
  ["jobs", /^\/scheduler\/?$/],
  ["job", /^\/scheduler\/jobs\/(\d+)\/?$/],
  ["jobQueue", /^\/scheduler\/queue\/?$/],
  ["partitions", /^\/scheduler\/partitions\/?$/],
  ["schedulerNodes", /^\/scheduler\/nodes\/?$/],
  ["jobHistory", /^\/scheduler\/history\/?$/],
  ["identities", /^\/administration\/identities\/?$/],
  ["webhooks", /^\/administration\/webhooks\/?$/],
  ["webhook", /^\/administration\/webhooks\/(\d+)\/?$/],
  ["deskPolicies", /^\/administration\/desk\/?$/],
  ["vendorContacts", /^\/administration\/vendors\/?$/],
  ["messageChannels", /^\/administration\/channels\/?$/],
  ["onCall", /^\/administration\/on-call\/?$/],
  ["messages", /^\/administration\/messages\/?$/],
  ["ticketSystems", /^\/administration\/ticket-systems\/?$/],
  ["myMessages", /^\/account\/messages\/?$/],
  ["machineCompare", /^\/machines\/compare\/?$/],
  ["wall", /^\/wall\/?$/],
  ["handOver", /^\/hand-over\/?$/],
  ["tokens", /^\/account\/tokens\/?$/],
];
/** Paths the server answers itself; a link to one leaves the page. */
const SERVED = /^\/(accounts|admin|api|static|metrics|healthz|readyz)(\/|$)/;

export function match(path: string): Route {
  for (const [name, pattern] of PATTERNS) {
    const found = pattern.exec(path);
    if (found) return { name, id: found[1] ?? "" };
  }
  return { name: "nowhere", id: "" };
}

/** The address with some query values replaced; an empty value removes its name. */
export function withQuery(path: string, search: string, changes: Record<string, string | number | null>): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") query.delete(name);
    else query.set(name, String(value));
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

class Router {
  path = $state("/");
  search = $state("");
  route = $derived(match(this.path));
  query = $derived(new URLSearchParams(this.search));
  /** How many of our own pages lie behind this one; 0 means Back would leave Rackside. */
  depth = 0;

  start(): void {
    this.read();
    this.depth = Number(history.state?.depth ?? 0);
    window.addEventListener("popstate", () => {
      this.depth = Number(history.state?.depth ?? 0);
      this.read();
    });
    document.addEventListener("click", (event) => this.follow(event));
  }

  go(url: string, { replace = false } = {}): void {
    if (url === this.path + this.search) return;
    if (!replace) this.depth += 1;
    history[replace ? "replaceState" : "pushState"]({ depth: this.depth }, "", url);
    this.read();
  }

  /** Change query values of this page; by default without a new entry in the history. */
  set(changes: Record<string, string | number | null>, { push = false } = {}): void {
    this.go(withQuery(this.path, this.search, changes), { replace: !push });
  }

  /** Back if the page behind is ours, otherwise to the given page. */
  back(otherwise: string): void {
    if (this.depth > 0) history.back();
    else this.go(otherwise, { replace: true });
  }

  private read(): void {
    this.path = location.pathname;
    this.search = location.search;
  }

  private follow(event: MouseEvent): void {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    // Also links inside SVG pictures, which are not HTML anchors.
    const link = (event.target as Element | null)?.closest?.("a[href]");
    const href = link?.getAttribute("href") ?? "#";
    if (!link || href.startsWith("#") || link.hasAttribute("target") || link.hasAttribute("download")) return;
    const url = new URL(href, location.href);
    if (url.origin !== location.origin || SERVED.test(url.pathname)) return;
    event.preventDefault();
    this.go(url.pathname + url.search);
  }
}

export const router = new Router();
