import { render } from "svelte/server";
import { afterEach, expect, test, vi } from "vitest";
import { match } from "../router.svelte.ts";
import ActionRows from "./ActionRows.svelte";
import ActiveBar from "./ActiveBar.svelte";
import * as calls from "./calls.ts";
import { decision, escalationWords, found, RESPONSES } from "./responses.ts";
import { AUTOMATION_ROUTES, AUTOMATION_SECTIONS } from "./sections.ts";
import LimitFields from "./LimitFields.svelte";
import LimitRows from "./LimitRows.svelte";
import { limitFromShown, limitGroups, limitNumber, limitsChanged } from "./limits.ts";
import type { Action, ActiveKind, ActiveRun, Automation, Budget, FaultClass, Incident, Limit, Offer, PlanRow, Remedy } from "./shapes.ts";
import {
  actionSteps,
  budgetWords,
  conclusionTold,
  countsWords,
  disagreementSaid,
  doesWords,
  guardWord,
  helpedSaid,
  hoursWords,
  isOpen,
  kindTitle,
  minutesWords,
  paceWords,
  planSaid,
  resultTone,
  resultWords,
  standsAt,
  stepWords,
  stoppedWords,
  whatHappens,
  windowWords,
} from "./words.ts";

afterEach(() => vi.unstubAllGlobals());

const REMEDIES = [{ name: "reboot", title: "Reboot" }] as Remedy[];
const KINDS = [{ id: "pairs", title: "InfiniBand between pairs" }] as ActiveKind[];

// ---- addresses ----

test("every tab leads to a page of automation, and a run and an incident are found by number", () => {
  for (const section of AUTOMATION_SECTIONS) expect(section.routes).toContain(match(section.href).name);
  expect(AUTOMATION_ROUTES).not.toContain("nowhere");
  expect(match("/automation/tests/12")).toEqual({ name: "activeRun", id: "12" });
  expect(match("/automation/incidents/7")).toEqual({ name: "incident", id: "7" });
});

// ---- what a run concludes ----

test("a conclusion is said in sentences, what is wrong first, and adapters that say the same together", () => {
  const told = conclusionTold(
    {
      "mlx5_3 bandwidth": { bad: [], switches: {}, undecided: {} },
      "mlx5_0 bandwidth": { bad: ["a-1"], switches: {}, undecided: {} },
      "mlx5_4 bandwidth": { bad: [], switches: {}, undecided: {} },
      "mlx5_4 latency": { bad: [], switches: {}, undecided: {} },
      "mlx5_1 bandwidth": { bad: [], switches: { "leaf-2": ["b-1", "b-2"] }, undecided: {} },
      "mlx5_2 bandwidth": { bad: [], switches: {}, undecided: { "a-2": "its tests gave no result" } },
    },
    KINDS,
  );
  expect(told.map(({ where, lines }) => [where, ...lines.map((line) => line.text)])).toEqual([
    ["Bandwidth over mlx5_0", "a-1 is bad: it fails with others that pass without it."],
    ["Bandwidth over mlx5_1", "The switch leaf-2 is bad: b-1 and b-2 behind it fail because of it."],
    ["Bandwidth over mlx5_2", "a-2 is not decided: its tests gave no result."],
    ["Bandwidth over mlx5_3 and mlx5_4; Latency over mlx5_4", "Nothing bad was found."],
  ]);
  expect(told.map(({ lines }) => lines[0]!.tone)).toEqual(["fail", "fail", "warn", "ok"]);
});

test("several bad machines are one sentence, and a bad way out of a switch names none behind it", () => {
  const [told] = conclusionTold({ groups: { bad: ["a", "b", "c"], switches: { spine: [] }, undecided: {} } }, KINDS);
  expect(told!.lines.map((line) => line.text)).toEqual([
    "The switch spine is bad: the ways out of it fail, and what is behind it works.",
    "a, b and c are bad: each fails with others that pass without it.",
  ]);
});

// ---- active checks ----

const RUN = { result: { pass: 60, fail: 3, unknown: 1 }, progress: { done: 64, total: 64, stage: "round 2" } } as ActiveRun;

test("what failed leads, and a run without results says nothing", () => {
  expect(resultWords(RUN)).toBe("3 failed, 1 without a result, 60 passed");
  expect(resultTone(RUN)).toBe("fail");
  expect(resultWords({ result: { pass: 0, fail: 0, unknown: 0 } })).toBe("");
  expect(resultTone({ result: { pass: 4, fail: 0, unknown: 1 } })).toBe("warn");
  expect(isOpen("waiting") && isOpen("running") && !isOpen("cancelled")).toBe(true);
});

test("the bar of a run tells a reader how far it is, also before anything began", () => {
  expect(render(ActiveBar, { props: { run: RUN } }).body).toContain('aria-valuenow="64"');
  const none = { ...RUN, result: { pass: 0, fail: 0, unknown: 0 }, progress: { done: 0, total: 0, stage: "not begun" } };
  expect(render(ActiveBar, { props: { run: none } }).body).toContain("0 of 0 tests");
});

test("kinds have their titles, the burn-in and the tests of pairs have theirs", () => {
  expect(kindTitle(KINDS, "pairs")).toBe("InfiniBand between pairs");
  expect(kindTitle(null, "burn_in")).toBe("Burn-in");
  expect(kindTitle(KINDS, "latency")).toBe("Latency");
  expect(kindTitle(KINDS, "some_thing")).toBe("Some thing");
});

test("windows and hours are said as one would, over midnight too", () => {
  expect(windowWords({ weekday: 5, from: "22:00:00", to: "06:00:00" })).toBe("Saturdays 22:00 to 06:00 the next day (UTC)");
  expect(windowWords({ weekday: 0, from: "01:00:00", to: "05:30:00" })).toBe("Mondays 01:00 to 05:30 (UTC)");
  expect(hoursWords({ weekdays: 1 + 32, from_time: "22:00:00", to_time: "23:00:00" })).toBe("Mon, Sat 22:00 to 23:00");
  expect(hoursWords({ weekdays: 127, from_time: "00:00:00", to_time: "06:00:00" })).toBe("Every day 00:00 to 06:00");
  expect([minutesWords(0.2), minutesWords(45), minutesWords(180)]).toEqual(["about 1 minute", "about 45 minutes", "about 3 hours"]);
});

// ---- plan ----

const ROW: PlanRow = {
  machine: { id: 1, name: "a-1", state: "drained" }, incident: 3, fault: null, checks: ["gpu.count"], step: "remedy", remedy: "reboot", level: 3,
  mode: "dry_run", reason: "", allowed: false, refused_by: "dry_run", refused_reason: "no remedy is on", frees: "", next: "power_cycle",
};

test("a row of the plan says the step and whether it would be done", () => {
  expect(stepWords(ROW, REMEDIES)).toBe("Reboot");
  expect(stepWords({ ...ROW, step: "drain", remedy: null }, REMEDIES)).toBe("Drain");
  expect(stepWords({ ...ROW, step: "person", remedy: null }, REMEDIES)).toBe("Ask a person");
  expect(stepWords({ ...ROW, step: null, remedy: null }, REMEDIES)).toBe("Nothing now");
  expect(planSaid(ROW)).toMatchObject({ word: "Dry run", tone: "accent" });
  expect(planSaid({ ...ROW, allowed: true, refused_by: null })).toMatchObject({ word: "Now", tone: "ok" });
  expect(planSaid({ ...ROW, refused_by: "disruption_budget" })).toMatchObject({ word: "The disruption budget of its pool is used up", tone: "warn" });
  expect(guardWord("a_new_guard")).toBe("A new guard");
});

test("a budget that is not known or stale lets nothing out, and says so", () => {
  const budget = { size: 20, unavailable: 2, max_unavailable: 3, stale: false, drains_10min: 1, drains_1h: 2 } as Budget;
  expect(budgetWords(budget)).toBe("2 of 20 out, 3 may be");
  expect(budgetWords({ ...budget, size: null })).toContain("not known");
  expect(budgetWords({ ...budget, stale: true })).toContain("nothing is drained");
  expect(paceWords(budget)).toBe("1 drain in ten minutes, 2 in an hour.");
  expect(paceWords({ drains_10min: null, drains_1h: null })).toBe("? drains in ten minutes, ? in an hour.");
  expect(countsWords({ refused_1h: 0, ambiguous: null, failed_verifications: 1, drained: 3, size: 511 })).toBe("0 refused in an hour, ? ambiguous, verifications of 1 machine failed in a row, 3 of 511 drained lately.");
});

test("that automation is stopped is said with who and why; the breaker only while nobody stopped it", () => {
  const current = { killed: false, killed_by: "", killed_reason: "", breaker: { open: false, reason: "" } } as Automation;
  expect(stoppedWords(current)).toBeNull();
  expect(stoppedWords({ ...current, breaker: { ...current.breaker, open: true, reason: "3 in a row" } })).toMatchObject({ says: "3 in a row" });
  expect(stoppedWords({ ...current, killed: true, killed_by: "olga", killed_reason: "Power work" })!.says).toBe("By olga: Power work");
});

// ---- limits ----

const LIMIT = (name: string, group: string, unit: string, value: number): Limit => ({ name: name as Limit["name"], group: group as Limit["group"], title: `About ${name}`, unit, value, default: 0.05, low: 0, high: 1 });
const LIMITS = [LIMIT("one", "Budgets", "share", 0.125), LIMIT("two", "Breaker", "s", 30), LIMIT("three", "Budgets", "machines", 0.05)];

test("every limit that the API tells is shown and can be changed, with its unit, range and default", () => {
  const shown = render(LimitRows, { props: { rows: LIMITS } }).body;
  const fields = render(LimitFields, { props: { rows: LIMITS, change: () => {} } }).body;
  for (const { name, title } of LIMITS) {
    expect(shown).toContain(`data-testid="limit-${name}"`);
    expect(shown).toContain(title);
    expect(fields).toContain(`name="${name}"`);
  }
  expect(shown).toContain("12.5");
  expect(shown).toContain("default 5");
  expect(fields).toContain("%, 0 to 100, default 5");
  expect(limitGroups(LIMITS).map(({ group, limits }) => [group, limits.length])).toEqual([["Budgets", 2], ["Breaker", 1]]);
});

test("only what was changed is sent, and a share comes back as it was", () => {
  expect(limitsChanged(LIMITS, { one: 0.125, two: 60 })).toEqual({ two: 60 });
  for (const value of [0, 0.03, 0.05, 1 / 3, 0.999, 1]) {
    expect(limitFromShown({ unit: "share" }, limitNumber({ unit: "share" }, value))).toBeCloseTo(value, 6);
  }
  expect(limitFromShown({ unit: "s" }, 900)).toBe(900);
});

// ---- incidents and actions ----

const INCIDENT = { closed_at: null, closed_by: "", needs_person_at: null, refused_by: "", automation_first: false } as unknown as Incident;

test("where an incident stands is one word: closed before a person before a guard", () => {
  const at = "2026-11-01T00:00:00Z";
  expect(standsAt(INCIDENT).word).toBe("A person works on it");
  expect(standsAt({ ...INCIDENT, automation_first: true }).word).toBe("Automation works on it");
  expect(standsAt({ ...INCIDENT, refused_by: "jobs" }).word).toBe("Jobs run on it");
  expect(standsAt({ ...INCIDENT, refused_by: "jobs", needs_person_at: at }).word).toBe("A person was asked");
  expect(standsAt({ ...INCIDENT, needs_person_at: at, closed_at: at }).word).toBe("Closed");
});

const ACTION = {
  id: 5, machine: { id: 1, name: "a-1" }, incident: 3, check: "gpu.count", remedy: "reboot", attempt: 1, state: "ambiguous", verified: null, result: "no answer", reason: "",
  refused_by: "", refused_reason: "", planned_at: "2026-11-01T00:00:00Z", sent_at: null, finished_at: null,
} as unknown as Action;

test("only an action that was carried out can have helped", () => {
  expect(helpedSaid(ACTION)).toBeNull();
  expect(helpedSaid({ state: "confirmed", verified: null })!.word).toBe("Being verified");
  expect(helpedSaid({ state: "confirmed", verified: false })!.tone).toBe("fail");
});

test("an ambiguous action is decided only by those who may, and only while it is ambiguous", () => {
  const rows = (action: Action, may: boolean) => render(ActionRows, { props: { actions: [action], remedies: REMEDIES, may, changed: async () => {} } }).body;
  expect(rows(ACTION, true)).toContain("resolve");
  expect(rows(ACTION, false)).not.toContain("resolve");
  expect(rows({ ...ACTION, state: "failed" }, true)).not.toContain("resolve");
});

test("a kind of disagreement that is new still has a word", () => {
  expect(disagreementSaid("bad_allocated").tone).toBe("fail");
  expect(disagreementSaid("other_thing").word).toBe("Other thing");
});

// ---- calls ----

test("calls go to the routes of the API with what they are told", async () => {
  const asked: [string, string, unknown][] = [];
  vi.stubGlobal("document", { cookie: "" });
  vi.stubGlobal("location", { origin: "http://rackside.test" });
  vi.stubGlobal("fetch", async (request: Request) => {
    const at = new URL(request.url);
    const text = await request.text();
    asked.push([request.method, at.pathname + at.search, text ? JSON.parse(text) : undefined]);
    return new Response("{}", { headers: { "Content-Type": "application/json" } });
  });
  await calls.kill(1, "Power work");
  await calls.closeBreaker(1, "Mended");
  await calls.setLimits(1, { power_1h: 2 });
  await calls.resolveAction(5, "failed", "Looked");
  await calls.changePool(3, { no_scheduler: true });
  await calls.actions({ site: 1, machine: null, state: "ambiguous" });
  await calls.cancelActive(9);
  await calls.disagreements(1);
  expect(asked).toEqual([
    ["POST", "/api/health/automation/kill/", { site: 1, reason: "Power work" }],
    ["POST", "/api/health/automation/close-breaker/", { site: 1, reason: "Mended" }],
    ["PATCH", "/api/health/automation/limits/", { site: 1, power_1h: 2 }],
    ["POST", "/api/health/actions/5/resolve/", { outcome: "failed", reason: "Looked" }],
    ["PATCH", "/api/pools/3/", { no_scheduler: true }],
    ["GET", "/api/health/actions/?site=1&state=ambiguous", undefined],
    ["POST", "/api/health/active-runs/9/cancel/", {}],
    ["GET", "/api/health/scheduler/disagreements/?site=1", undefined],
  ]);
});

// ---- a remedy by hand ----

const BY_HAND = { state: "granted", verified: null, planned_at: "2026-11-20T10:00:00Z", sent_at: null, finished_at: null, result: "", refused_by: "", refused_reason: "" } as Action;
const stands = (action: Partial<Action>) => actionSteps({ ...BY_HAND, ...action }).map((step) => step.stands).join(" ");

test("how far an action came is four steps, and what went wrong is where it went wrong", () => {
  expect(stands({ state: "planned" })).toBe("done open open open");
  expect(stands({})).toBe("done now open open");
  expect(stands({ state: "sent" })).toBe("done done now open");
  expect(stands({ state: "confirmed" })).toBe("done done done now");
  expect(stands({ state: "confirmed", verified: true })).toBe("done done done done");
  expect(stands({ state: "confirmed", verified: false })).toBe("done done done bad");
  expect(stands({ state: "failed" })).toBe("done done bad open");
  expect(stands({ state: "ambiguous" })).toBe("done done unsure open");
  expect(stands({ state: "cancelled" })).toBe("done bad open open");
});

test("what is known of an action is said in sentences", () => {
  expect(actionSteps({ ...BY_HAND, state: "ambiguous", result: "the BMC broke off the call" })[2]!.says).toBe("It is not known whether it happened: a person decides. The BMC broke off the call.");
});

test("an action that was not sent says which guard was in the way", () => {
  const [, sent] = actionSteps({ ...BY_HAND, state: "cancelled", refused_by: "logins", refused_reason: "2 people" });
  expect(sent!.says).toBe("It was not sent. People are logged in: 2 people.");
});

test("what a remedy sets going is said before it begins, and one nobody described says whether the machine goes down", () => {
  const told = whatHappens({ title: "Reboot", deadline_s: 1800, verification: "another boot id" });
  expect(told[1]).toBe("Reboot: at most 30 minutes until its effect is seen.");
  expect(told[2]).toBe("A verification: another boot id.");
  expect(doesWords({ remedy: "reboot", dark: true })).toContain("operating system");
  expect([true, false].map((dark) => doesWords({ remedy: "new" as Offer["remedy"], dark }))).toEqual(["Takes the machine down for a while.", "Leaves the machine up."]);
});

test("a response says what follows, and what more of the same do", () => {
  const row: FaultClass = { fault_class: "psu.lost", title: "Power supply is lost", severity: "major", priority: "P2", response: "ticket", usual: "ticket", escalation: { count: 2, then: "drain" }, hot: true, override: null };
  expect(escalationWords(row)).toBe("2 on one machine: Drain after the job");
  expect(escalationWords({ escalation: null })).toBe("");
  expect(found([row], "ticket only")).toEqual([row]);
  expect(found([row], "PSU.L")).toEqual([row]);
  expect(found([row], "gpu")).toEqual([]);
  expect(RESPONSES.drain_now.says).toContain("ends no job");
});

test("a response is changed by one call, which touches no decision but the site's own", () => {
  const row = { fault_class: "psu.lost", response: "drain", usual: "drain", override: null } as FaultClass;
  expect(decision(row, "note", 3, "why")).toEqual({ call: "decide", body: { fault_class: "psu.lost", response: "note", site: 3, reason: "why" } });
  const own = { ...row, response: "note", override: 7 } as FaultClass;
  expect(decision(own, "ticket", 3, "why")).toEqual({ call: "change", id: 7, body: { response: "ticket", reason: "why" } });
  expect(decision(own, "drain", 3, "why")).toEqual({ call: "end", id: 7 });
});
