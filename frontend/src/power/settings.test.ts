import { expect, test } from "vitest";
import { match } from "../router.svelte.ts";
import { bodyOf, changes, formOf, formOfKind, isAsked, KIND_FORMS, kindWord, optionsOf, placeWords } from "./meters.ts";
import { changed, draftOf } from "./policy.ts";
import { pageOf } from "./pages.ts";
import { POWER_SECTIONS } from "./sections.ts";
import type { Meter, Policy } from "./shapes.ts";
import { METER_STATE } from "./words.ts";

// ---- meters ----

const METER: Meter = {
  id: 1, site: 1, name: "pdu-d14-a", kind: "snmp_pdu", device: 21, rack: null, room: null, place: { device: { id: 21, name: "pdu-d14-a" }, rack: { id: 14, name: "D14" }, room: { id: 1, name: "Hall 1" } },
  address: "10.4.0.17", credential: "metering", identity: "", options: {}, period_s: 10, enabled: true, state: "ok", message: "", tried_at: null, read_at: null, values: 78, unknown: 1,
};

test("a meter that is not changed sends nothing, a changed one only what differs", () => {
  const form = formOf(METER);
  expect(changes(METER, bodyOf(form, 1, {}))).toEqual({});
  expect(changes(METER, bodyOf({ ...form, period: 30 }, 1, {}))).toEqual({ period_s: 30 });
  expect(changes(METER, bodyOf({ ...form, credential: " " }, 1, {}))).toEqual({ credential: null });
});

test("options are one JSON object; anything else is refused with its reason", () => {
  expect(optionsOf(" ")).toEqual({ value: {} });
  expect(optionsOf('{"unit": 1}')).toEqual({ value: { unit: 1 } });
  for (const text of ["[1]", "null", "7"]) expect(optionsOf(text), text).toHaveProperty("problem", 'Options are one JSON object, such as {"unit": 1}.');
  expect(optionsOf("{unit}")).toHaveProperty("problem", expect.stringContaining("Not JSON"));
});

test("the examples of options are JSON that the form takes", () => {
  for (const kind of KIND_FORMS) expect(optionsOf(kind.options), kind.kind).toHaveProperty("value");
});

test("what comes by itself is not asked for; a kind that is newer than the page keeps its options and has a word", () => {
  expect([isAsked("snmp_pdu"), isAsked("machine"), isAsked("rack")]).toEqual([true, false, false]);
  expect([formOfKind("flow_meter").options, kindWord("flow_meter")]).toEqual(["{}", "Flow meter"]);
  expect(formOf({ ...METER, options: { unit: 1 } }).options).toContain('"unit": 1');
});

test("a meter says what it measures", () => {
  expect(placeWords(METER)).toBe("pdu-d14-a");
  expect(placeWords({ place: { ...METER.place, device: null } })).toBe("rack D14");
  expect(placeWords({ place: { device: null, rack: null, room: null } })).toBe("the site");
});

test("only a meter in time is told as well", () => {
  for (const [state, said] of Object.entries(METER_STATE)) expect(said.tone === "ok", state).toBe(state === "ok");
});

// ---- policy ----

const POLICY: Policy = { site: 1, gpu_great_c: 75, gpu_good_c: 80, port_c: 70, load_percent: 80, imbalance_percent: 20, inlet_c: 27, rise_c_per_min: 0.5, tariff_per_kwh: 0.142, rates: [], currency: "EUR", co2_g_per_kwh: 310, acting: false, emergency_gpu_percent: 60, shut_down_at_once: 8 };

test("a policy sends what was changed; an emptied tariff is none, not nought", () => {
  const draft = draftOf(POLICY);
  expect(changed(POLICY, draft)).toEqual({});
  expect(changed(POLICY, { ...draft, load_percent: 75, tariff_per_kwh: null, acting: true })).toEqual({ load_percent: 75, tariff_per_kwh: null, acting: true });
  expect(changed(POLICY, { ...draft, co2_g_per_kwh: undefined as unknown as null })).toEqual({ co2_g_per_kwh: null });
});

// ---- addresses ----

const pageAt = (path: string) => pageOf(match(path).id);

test("every section of power has an address whose page lights its tab", () => {
  for (const { href } of POWER_SECTIONS) {
    expect(match(href).name, href).toBe("power");
    expect(pageAt(href).section, href).toBe(href);
    expect(pageAt(`${href}/`).section, href).toBe(href);
  }
});

test("one rack, feed or meter is a page below its section; anything else is nowhere", () => {
  for (const [path, section, id] of [["/power/racks/14", "/power", "14"], ["/power/feeds/11", "/power/feeds", "11"], ["/power/meters/3/", "/power/meters", "3"]] as const) {
    expect(pageAt(path)).toMatchObject({ section, id });
  }
  for (const path of ["/power/racks", "/power/racks/x", "/power/feeds/11/links", "/power/none"]) expect(pageAt(path).section, path).toBe("");
  expect(match("/powers").name).toBe("nowhere");
});
