import { describe, expect, it } from "vitest";
import { answerFields, chosenColumns, parse, same, textOf, titleOf, valueOf } from "./cells.ts";
import { Columns } from "./columns.svelte.ts";
import { apiQuery, filtersIn, filterText, nameOf, operatorsOf } from "./filters.ts";
import { between, moved } from "./keys.ts";
import { readBlock, spread, writeBlock } from "./paste.ts";
import { body, counted, type Edits, problemsOf, settled, toCreate, toPatch, withSteps, without } from "./pending.ts";
import type { FieldType, Kind, KindField } from "./shapes.ts";

const TEXT = ["", "ne", "in", "icontains", "istartswith", "iendswith", "isnull"];
const field = (name: string, type: FieldType, more: Partial<KindField> = {}): KindField => ({
  name, type, title: name, help: "", required: false, read_only: false, nullable: false, ordered: true, lookups: TEXT, ...more,
});
const racks: Kind = {
  name: "racks",
  title: "racks",
  key: ["room", "name"],
  may_write: true,
  fields: [
    field("site", "reference", { references: "sites" }),
    field("room", "reference", { references: "rooms", required: true }),
    field("name", "text", { required: true }),
    field("height_u", "integer", { lookups: ["", "ne", "in", "gte", "lte", "isnull"] }),
    field("role", "choice", { choices: ["compute", "network"], lookups: ["", "ne", "in", "isnull"] }),
    field("tags", "list", { lookups: ["", "in", "isnull"] }),
    field("custom", "object", { lookups: [] }),
    field("cf_zone", "text", { nullable: true, lookups: ["", "in", "isnull"] }),
  ],
};
const of = (name: string) => racks.fields.find((each) => each.name === name)!;

describe("a block of cells from a spreadsheet", () => {
  it("is rows and columns, with whatever ends of lines", () => {
    expect(readBlock("a\tb\r\nc\t\n")).toEqual([["a", "b"], ["c", ""]]);
    expect(readBlock("one")).toEqual([["one"]]);
    expect(readBlock("")).toEqual([]);
  });

  it("keeps tabs, lines and quotes inside quotes", () => {
    expect(readBlock('"two\nlines"\t"say ""hi"""\nx\ty')).toEqual([["two\nlines", 'say "hi"'], ["x", "y"]]);
  });

  it("takes a quote that nothing closes for an inch mark", () => {
    expect(readBlock('19" rack\t"19 inch\nb\tc')).toEqual([['19" rack', '"19 inch'], ["b", "c"]]);
  });

  it("is written so that it reads back the same", () => {
    const block = [["a\tb", 'c"d'], ["", "e\nf"]];
    expect(readBlock(writeBlock(block))).toEqual(block);
  });

  it("goes from its corner, and fills a range that it fits into", () => {
    const at = { row: 2, column: 1 };
    expect(spread([["a", "b"]], at, at)).toEqual([{ row: 2, column: 1, text: "a" }, { row: 2, column: 2, text: "b" }]);
    expect(spread([["x"]], at, { row: 4, column: 1 }).map((cell) => cell.row)).toEqual([2, 3, 4]);
    expect(spread([["x"], ["y"]], at, { row: 4, column: 1 })).toHaveLength(2);
  });
});

describe("what a typed text means", () => {
  it("is a value of the field's type, or a problem", () => {
    expect(parse(of("height_u"), " 42 ")).toEqual({ value: 42, text: "42" });
    expect(parse(of("height_u"), "4.5").problem).toBeDefined();
    expect(parse(of("height_u"), "1,234").problem).toBeDefined();
    expect(parse(field("on", "boolean"), "Yes")).toEqual({ value: true, text: "yes" });
    expect(parse(of("role"), "NETWORK")).toEqual({ value: "network", text: "network" });
    expect(parse(of("role"), "disco").problem).toBe("One of compute, network.");
    expect(parse(field("day", "date"), "31.3.2027").problem).toBeDefined();
    expect(parse(field("day", "date"), "2027-02-28")).toEqual({ value: "2027-02-28", text: "2027-02-28" });
    expect(parse(of("tags"), "a, b,,")).toEqual({ value: ["a", "b"], text: "a, b" });
  });

  it("is empty in the way the field can be, and refused where it cannot", () => {
    expect(parse(of("name"), " ").problem).toBe("This may not be empty.");
    expect(parse(of("cf_zone"), "")).toEqual({ value: null, text: "" });
    expect(parse(of("tags"), "")).toEqual({ value: [], text: "" });
  });

  it("keeps connector and lane of the ends of a cable", () => {
    const before = [{ port: 1, device_name: "leaf-1", port_name: "1/1", connector: 1, lane: 2, serial: "S" }];
    expect(textOf(before)).toBe("leaf-1 1/1");
    expect(parse(field("a", "list"), "leaf-2 1/4", before).value).toEqual([{ device: "leaf-2", port: "1/4", connector: 1, lane: 2, serial: "S" }]);
    expect(parse(field("a", "list"), "leaf-2").problem).toBeDefined();
  });

  it("knows the several faces of nothing", () => {
    expect([same(null, ""), same([], null), same(0, null), same(["a"], ["a"])]).toEqual([true, true, false, true]);
  });
});

describe("columns", () => {
  it("begin with the name, and are those of the address where it names some", () => {
    expect(chosenColumns(racks, null).map((each) => each.name).slice(0, 2)).toEqual(["name", "room"]);
    expect(chosenColumns(racks, "role,nonsense,name").map((each) => each.name)).toEqual(["role", "name"]);
  });

  it("say their unit once", () => {
    const titles = [["speed_gbps", "speed gbps", "Gbit/s"], ["u", "u", "U"], ["x_mm", "x", "mm"]].map(([name, title, unit]) =>
      titleOf(field(name!, "integer", { title: title!, unit: unit! })),
    );
    expect(titles).toEqual(["Speed (Gbit/s)", "U", "X (mm)"]);
  });

  it("ask for names of references and for custom fields once", () => {
    expect(answerFields([of("room"), of("cf_zone"), of("name")])).toEqual(["id", "room", "room_name", "custom", "name"]);
    expect(valueOf(of("cf_zone"), { id: 1, custom: { zone: "a" } })).toBe("a");
  });
});

describe("filters", () => {
  it("are those the server has, and stand in the address as it is asked", () => {
    expect(operatorsOf(of("height_u")).map((each) => each.word)).toContain("at least");
    expect(operatorsOf(of("cf_zone")).map((each) => each.word)).toEqual(["is", "is one of", "is empty", "is not empty"]);
    const query = new URLSearchParams("height_u__gte=42&room_name__icontains=hall&tags__isnull=false&columns=name&ordering=-name&search=a");
    const found = filtersIn(query, racks.fields);
    expect(found.map((each) => [each.field.name, filterText(each)])).toEqual([
      ["height_u", "at least 42"], ["room", "name contains hall"], ["tags", "is not empty"],
    ]);
    expect(found.map((each) => nameOf(each.field, each.operator))).toEqual(["height_u__gte", "room_name__icontains", "tags__isnull"]);
    expect(apiQuery(query)).toEqual({
      height_u__gte: ["42"], room_name__icontains: ["hall"], tags__isnull: ["false"], ordering: ["-name"], search: ["a"],
    });
  });

  it("that nobody knows are passed on, so that the server refuses them instead of answering with everything", () => {
    expect(apiQuery(new URLSearchParams("hieght_u=42"))).toEqual({ hieght_u: ["42"] });
  });
});

describe("changes that are not saved", () => {
  const step = (row: number, name: string, before: unknown, value: unknown) => ({
    row, field: name, before, beforeText: textOf(before), entry: { value, text: textOf(value) },
  });
  const edits: Edits = withSteps(new Map(), [step(7, "name", "A01", "A02"), step(7, "cf_zone", null, "x"), step(8, "height_u", 42, 48)]);

  it("become one list to send, custom fields together", () => {
    expect(toPatch(edits)).toEqual([{ id: 7, name: "A02", custom: { zone: "x" } }, { id: 8, height_u: 48 }]);
    expect(counted(edits)).toEqual({ cells: 3, rows: 2, fresh: 0, wrong: 0 });
    expect(body({ cf_a: 1, cf_b: null, name: "x" })).toEqual({ custom: { a: 1, b: null }, name: "x" });
  });

  it("are none any more when the cell is as it was", () => {
    expect(withSteps(edits, [step(8, "height_u", 42, 42)]).has(8)).toBe(false);
    expect(withSteps(edits, [step(8, "height_u", 42, 42)]).get(7)).toBe(edits.get(7));
    expect(without(edits, 7, "name").get(7)).toHaveProperty("cf_zone");
    expect(without(edits, 7).has(7)).toBe(false);
  });

  it("keep new rows apart and do not send empty ones", () => {
    const fresh = withSteps(new Map([[-2, {}], [-1, {}]]), [step(-1, "name", null, "B01")]);
    expect(toCreate(fresh)).toEqual({ ids: [-1], rows: [{ name: "B01" }] });
    expect(toPatch(fresh)).toEqual([]);
    expect(counted(fresh).fresh).toBe(2);
  });

  it("get the server's refusals at their cells until they are changed", () => {
    const refused = [{ row: 2, key: "A", fields: { height_u: [{ code: "in_use", reason: "too low" }], id: [{ code: "x", reason: "gone" }], lane: [{ code: "y", reason: "odd" }] } }];
    const problems = problemsOf(refused, [7, 8], racks.fields);
    expect(problems.get(8)).toEqual({ height_u: "too low", "": "gone lane: odd" });
    expect(problems.has(7)).toBe(false);
    expect(settled(problems, [{ row: 8, field: "height_u" }]).has(8)).toBe(false);
  });
});

describe("keys of the table", () => {
  const size = { rows: 10, columns: 3, page: 4 };
  it("move and stop at the edges", () => {
    expect(moved({ row: 0, column: 0 }, "ArrowUp", false, size)).toEqual({ row: 0, column: 0 });
    expect(moved({ row: 5, column: 1 }, "ArrowDown", true, size)).toEqual({ row: 9, column: 1 });
    expect(moved({ row: 8, column: 1 }, "PageDown", false, size)).toEqual({ row: 9, column: 1 });
    expect(moved({ row: 8, column: 1 }, "Home", true, size)).toEqual({ row: 0, column: 0 });
    expect(moved({ row: 8, column: 1 }, "x", false, size)).toBeNull();
  });

  it("make a rectangle of two spots", () => {
    expect(between({ row: 3, column: 0 }, { row: 1, column: 2 })).toEqual({ from: { row: 1, column: 0 }, to: { row: 3, column: 2 } });
  });
});

describe("columns", () => {
  const kind: Kind = { name: "racks", title: "racks", key: ["name"], may_write: true, fields: [field("name", "text"), field("role", "choice"), field("height_u", "integer", { ordered: false })] };
  /** The columns of an address, and what a step changes in it. */
  const at = (columns: string | null, ordering: string | null = null, phone = false) => {
    const changed: Record<string, string | null> = {};
    return { changed, columns: new Columns(() => ({ kind, columns, ordering, phone }), (changes) => void Object.assign(changed, changes)) };
  };
  const names = (columns: Columns) => columns.shown.map((column) => column.id);

  it("are those of the address, in its order, and one can go or come", () => {
    const { columns, changed } = at("role,name");
    expect(names(columns)).toEqual(["role", "name"]);
    expect(columns.hidden.map((column) => column.id)).toEqual(["height_u"]);
    columns.hidden[0]!.toggleVisibility(true);
    expect(changed.columns).toBe("role,name,height_u");
    columns.shown[0]!.toggleVisibility(false);
    expect(changed.columns).toBe("name");
  });

  it("move left and right", () => {
    const { columns, changed } = at("role,name,height_u");
    columns.shift(columns.shown[2]!, -1);
    expect(changed.columns).toBe("role,height_u,name");
  });

  it("are ordered by up, down, and not at all; a field the server does not order by cannot be", () => {
    const step = (ordering: string | null) => {
      const { columns, changed } = at(null, ordering);
      columns.shown[0]!.toggleSorting();
      return changed.ordering;
    };
    expect([step(null), step("name"), step("-name"), step("role")]).toEqual(["name", "-name", null, "name"]);
    expect(at("name,height_u").columns.shown.map((column) => column.getCanSort())).toEqual([true, false]);
    expect(at(null, "-name").columns.shown[0]!.getIsSorted()).toBe("desc");
  });

  it("begin where the one before ends; the first is narrow on a phone", () => {
    const { columns } = at("name,role");
    expect(columns.shown.map((column) => [column.getStart(), column.getSize()])).toEqual([[0, 170], [170, 128]]);
    expect(columns.width).toBe(298);
    expect(at("name,role", null, true).columns.shown.map((column) => column.getSize())).toEqual([132, 128]);
  });
});
