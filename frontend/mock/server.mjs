/** Serves mock/world.mjs in the shape of the real API and feed, with dist/ at /static/. For development only.
 *
 *   npm run build && npm run mock      the built dashboard on http://127.0.0.1:8100
 *   npm run mock & npm run dev         the same data behind Vite
 *
 * POST /mock/drop closes every socket and refuses new ones for ?seconds=; POST /mock/quiet stops the random changes;
 * POST /mock/break?machine=NAME&cell=failed changes one machine; POST /mock/notice?text= shows a notice, without text none.
 */
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { WebSocketServer } from "ws";
import { routes as checkRoutes } from "./checks.mjs";
import { acceptSwap, machineDetail, machineParts, elevation, search } from "./machine.mjs";
import { routes as powerRoutes } from "./power.mjs";
import * as world from "./world.mjs";

const PORT = Number(process.env.PORT ?? 8100);
const DIST = new URL("../dist/", import.meta.url).pathname;
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json" };
const CSP = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

// ---- live feed ----

const sockets = new Set();
const events = [];
let refuseUntil = 0;
let quiet = process.env.QUIET === "1";
let notices = [];

function notify(text) {
  notices = text ? [{ kind: "budget", level: "warn", text }] : [];
  emit({ kind: "notice.changed", subject: "site:1", data: { notices } });
}

function emit(event) {
  const full = { id: events.length + 1, at: new Date().toISOString(), ...event };
  events.push(full);
  const frame = JSON.stringify({ type: "events", cursor: `mock:${full.id}`, events: [full] });
  for (const socket of sockets) socket.send(frame);
}

function change(machine, cell) {
  world.put(machine, cell);
  emit(world.machineChanged(machine));
}

setInterval(() => {
  for (const socket of sockets) socket.send(JSON.stringify({ type: "heartbeat", cursor: `mock:${events.length}`, at: new Date().toISOString() }));
}, 2_000).unref();
setInterval(() => {
  if (quiet) return;
  const machine = world.machines[Math.floor(Math.random() * world.machines.length)];
  if (["allocated", "available"].includes(machine.cell)) change(machine, machine.cell === "allocated" ? "available" : "allocated");
}, 1_500).unref();

// ---- API ----

const page = (list, query) => {
  const size = Number(query.get("page_size") ?? 50);
  const number = Number(query.get("page") ?? 1);
  return { count: list.length, next: number * size < list.length ? "next" : null, previous: number > 1 ? "previous" : null, results: list.slice((number - 1) * size, number * size) };
};

const columns = (list, names) => ({ columns: names, rows: list.map((item) => names.map((name) => item[name])) });

const floor = () => ({
  cursor: `mock:${events.length}`,
  generated_at: new Date().toISOString(),
  site: world.site,
  room: world.room,
  rooms: [{ id: 1, name: world.room.name, site: 1 }],
  rows: world.rows,
  aisles: world.aisles,
  racks: columns(world.racks, ["id", "name", "row", "x_mm", "y_mm", "width_mm", "depth_mm", "facing", "height_u", "role"]),
  machines: columns(world.machines, ["id", "name", "rack", "u", "height_u", "cell", "state", "worst", "reachability", "since", "ticket", "faults"]),
  cells: world.CELLS,
  totals: {},
  notices,
});

function machineList(query) {
  const text = (query.get("search") ?? "").toLowerCase();
  return world.machines
    .filter((m) => m.name.includes(text) && (!query.get("cell") || query.getAll("cell").includes(m.cell)) && (!query.get("state") || m.state === query.get("state")))
    .map((m) => machineDetail(m));
}

function ticketList(query) {
  const text = (query.get("search") ?? "").toLowerCase();
  return world.tickets
    .filter((t) => !query.get("status") || t.status === query.get("status"))
    .filter((t) => query.get("active") !== "true" || t.status !== "closed")
    .filter((t) => query.get("mine") !== "true" || t.assignee?.id === 1)
    .filter((t) => !query.get("machine") || t.machine.id === Number(query.get("machine")))
    .filter((t) => `${t.key} ${t.title}`.toLowerCase().includes(text))
    .map(world.ticketItem);
}

const problem = (status, code, message, more = {}) => ({ status, body: { error: { code, message, fields: {}, request_id: "req-7f3a91c2", ...more } } });

function touch(ticket, text) {
  ticket.version += 1;
  ticket.updated_at = new Date().toISOString();
  ticket.timeline.push({ at: ticket.updated_at, actor: world.me.name, text });
  const { id, key, status, title, machine, assignee, priority } = ticket;
  emit({ kind: "ticket.changed", subject: `ticket:${id}`, data: { id, key, status, title, machine: machine.id, machine_name: machine.name, assignee, priority } });
}

function ticketAction(ticket, action, body) {
  if (body.version && body.version !== ticket.version) {
    return problem(409, "conflict", "The ticket changed meanwhile.", { current: world.ticketFull(ticket) });
  }
  const machine = world.machines.find((m) => m.id === ticket.machine.id);
  const now = new Date().toISOString();
  const step = /^steps\/(\d+)$/.exec(action);
  if (action === "take") {
    Object.assign(ticket, { status: "in_work", assignee: { id: 1, name: world.me.name }, led: "on" });
    touch(ticket, "Taken");
  } else if (action === "release") {
    Object.assign(ticket, { status: "open", assignee: null, led: "off" });
    touch(ticket, `Put back: ${body.reason}`);
  } else if (action === "comments") {
    ticket.comments.push({ id: Date.now(), at: now, author: world.me.name, text: body.text });
    touch(ticket, "Commented");
  } else if (step) {
    const found = ticket.steps[Number(step[1]) - 1];
    Object.assign(found, body.done ? { done_at: now, done_by: world.me.name } : { done_at: null, done_by: null });
    touch(ticket, `${body.done ? "Done" : "Not done"}: ${found.title}`);
  } else if (action === "swap") {
    if (body.new_serial === ticket.component?.serial) {
      const refused = problem(400, "invalid", "The request was refused; see the fields.");
      refused.body.error.fields = { new_serial: ["This is the serial of the old part."] };
      return refused;
    }
    ticket.swaps.push({ old_serial: ticket.component?.serial, new_serial: body.new_serial, at: now, by: world.me.name });
    const found = ticket.steps.find((s) => s.kind === "swap");
    if (found) Object.assign(found, { done_at: now, done_by: world.me.name });
    touch(ticket, `Swapped for ${body.new_serial}`);
  } else if (action === "verify") {
    ticket.status = "verifying";
    ticket.verification = { id: 1, status: "running", requested_at: now, finished_at: null, results: [] };
    touch(ticket, "Verification requested");
    setTimeout(() => finish(ticket, machine, !ticket.swaps.some((s) => /BAD/.test(s.new_serial))), Number(process.env.VERIFY_MS ?? 6_000));
  } else if (action === "close") {
    Object.assign(ticket, { status: "closed", closed_at: now, led: "off" });
    touch(ticket, `Closed: ${body.reason}`);
  } else if (action === "led") {
    ticket.led = body.on ? "on" : "off";
    touch(ticket, `LED ${ticket.led}`);
  }
  return { status: 200, body: world.ticketFull(ticket) };
}

function finish(ticket, machine, passed) {
  const results = ["gpu.count", "gpu.ecc", "gpu.pcie", "nvlink.links"].map((check, i) => ({ check, part: ticket.part, part_text: ticket.part_text, verdict: passed || i ? "ok" : "fail", message: passed || i ? "As expected" : "7 of 8 GPUs answer nvidia-smi" }));
  ticket.verification = { ...ticket.verification, status: passed ? "passed" : "failed", finished_at: new Date().toISOString(), results };
  ticket.status = passed ? "closed" : "in_work";
  if (passed) Object.assign(ticket, { closed_at: new Date().toISOString(), led: "off" });
  touch(ticket, passed ? "Verification passed" : "Verification failed");
  if (passed) change(machine, "available");
}

const runItem = (run) => {
  const { machines, ...item } = run;
  return { ...item, totals: world.runTotals({ machines }) };
};

const logLines = (after) =>
  Array.from({ length: 60 }, (_, i) => ({ n: i + 1, at: new Date(Date.now() - (60 - i) * 4_000).toISOString(), step: i < 30 ? "install" : "phone_home", text: i % 9 === 4 ? "HTTP GET /boot/autoinstall/04-3f-72-aa-10-3e 200 1834 bytes" : `subiquity: task ${i} finished` })).filter((line) => line.n > after);

/** Method, pattern, handler(matches, query, body) → a body, or {status, body}. */
const ROUTES = [
  ...checkRoutes(emit),
  ...powerRoutes,
  ["GET", /^me\/$/, () => world.me],
  ["GET", /^floor\/$/, floor],
  ["GET", /^search\/$/, (_, query) => ({ results: search(query.get("q") ?? "") })],
  ["GET", /^racks\/(\d+)\/elevation\/$/, ([id]) => elevation(Number(id))],
  ["GET", /^machines\/$/, (_, query) => page(machineList(query), query)],
  ["GET", /^machines\/(\d+)\/$/, ([id]) => machineDetail(world.machines.find((m) => m.id === Number(id)))],
  ["GET", /^machines\/(\d+)\/(\w+)\/$/, ([id, part]) => machineParts(world.machines.find((m) => m.id === Number(id)), part)],
  ["POST", /^machines\/(\d+)\/accept-swap\/$/, ([id], _, body) => acceptSwap(Number(id), body.slot)],
  ["POST", /^machines\/\d+\/\w+\/$/, () => ({ sweep: 1 })],
  ["DELETE", /^machines\/\d+\/holds\/[^/]+\/$/, () => null],
  ["GET", /^tickets\/$/, (_, query) => page(ticketList(query), query)],
  ["GET", /^tickets\/([\w-]+)\/$/, ([key]) => world.ticketFull(world.tickets.find((t) => t.key === key))],
  ["POST", /^tickets\/([\w-]+)\/(.+)\/$/, ([key, action], _, body) => ticketAction(world.tickets.find((t) => t.key === key), action, body)],
  ["GET", /^provisioning\/runs\/$/, (_, query) => page(world.runs.map(runItem), query)],
  ["POST", /^provisioning\/runs\/$/, () => ({ ...runItem(world.runs[0]), machines: world.runs[0].machines })],
  ["GET", /^provisioning\/runs\/(\d+)\/$/, ([id]) => ({ ...runItem(world.runs[id - 1]), machines: world.runs[id - 1].machines })],
  ["GET", /^provisioning\/runs\/\d+\/machines\/\d+\/log\/$/, (_, query) => ({ lines: logLines(Number(query.get("after") ?? 0)) })],
  ["POST", /^provisioning\/runs\/.+\/$/, () => null],
  ["POST", /^mock\/drop$/, (_, query) => drop(Number(query.get("seconds") ?? 10))],
  ["POST", /^mock\/notice$/, (_, query) => notify(query.get("text"))],
  ["POST", /^mock\/quiet$/, () => (quiet = true)],
  ["POST", /^mock\/break$/, (_, query) => change(world.machines.find((m) => m.name === query.get("machine")), query.get("cell") ?? "failed")],
];

function drop(seconds) {
  refuseUntil = Date.now() + seconds * 1_000;
  for (const socket of sockets) socket.terminate();
  return { seconds };
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length ? JSON.parse(Buffer.concat(chunks).toString()) : {};
}

async function answerApi(request, response, path, query) {
  const found = ROUTES.find(([method, pattern]) => method === request.method && pattern.test(path));
  let status = 200;
  let body;
  try {
    if (!found) throw new Error("no such route");
    const answer = found[2](found[1].exec(path).slice(1), query, await readBody(request));
    [status, body] = answer?.status && answer.body ? [answer.status, answer.body] : [200, answer ?? null];
  } catch (error) {
    ({ status, body } = problem(404, "not_found", `There is no such record, or you may not see it. (${error.message})`));
  }
  response.writeHead(status, { "Content-Type": "application/json", "X-Request-ID": "req-7f3a91c2" });
  response.end(JSON.stringify(body));
}

async function answerFile(response, path) {
  const inside = path.startsWith("/static/") ? normalize(path.slice(8)) : "index.html";
  try {
    const content = await readFile(join(DIST, inside));
    response.writeHead(200, { "Content-Type": TYPES[extname(inside)] ?? "application/octet-stream", "Content-Security-Policy": CSP, "Set-Cookie": "csrftoken=mock; Path=/" });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
}

const server = createServer((request, response) => {
  const url = new URL(request.url, "http://mock");
  if (url.pathname.startsWith("/api/")) void answerApi(request, response, url.pathname.slice(5), url.searchParams);
  else if (url.pathname.startsWith("/mock/")) void answerApi(request, response, url.pathname.slice(1), url.searchParams);
  else void answerFile(response, url.pathname);
});

const feed = new WebSocketServer({ noServer: true });
server.on("upgrade", (request, socket, head) => {
  if (Date.now() < refuseUntil) return socket.destroy();
  feed.handleUpgrade(request, socket, head, (ws) => {
    const since = new URL(request.url, "http://mock").searchParams.get("since") ?? "";
    ws.send(JSON.stringify({ type: "hello", cursor: `mock:${events.length}`, epoch: "mock" }));
    const missed = since ? events.slice(Number(since.split(":")[1])) : [];
    if (missed.length) ws.send(JSON.stringify({ type: "events", cursor: `mock:${events.length}`, events: missed }));
    sockets.add(ws);
    ws.on("close", () => sockets.delete(ws));
  });
});
server.listen(PORT, "127.0.0.1", () => console.log(`http://127.0.0.1:${PORT}`));
