/** Nothing that is only an icon is without a name: every component is read and its controls and lone signs are walked. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "svelte/compiler";
import { describe, expect, test } from "vitest";

const ROOT = new URL("..", import.meta.url).pathname;
const CONTROLS = new Set(["button", "a", "summary"]);
/** Components that draw a picture and say nothing. */
const MUTE = new Set(["Icon", "CellMark", "CellShape"]);

interface Node {
  type: string;
  name?: string;
  data?: string;
  start: number;
  attributes?: { type: string; name?: string; value?: unknown }[];
  fragment?: { nodes: Node[] };
  [key: string]: unknown;
}

const attribute = (node: Node, name: string) => node.attributes?.some((each) => each.type === "Attribute" && each.name === name) ?? false;

/** Every element and block below a node, itself left out. */
function below(node: Node): Node[] {
  const blocks = [node.fragment, node.body, node.consequent, node.alternate, node.fallback, node.pending, node.then, node.catch];
  const children = blocks.flatMap((block) => (block as { nodes?: Node[] } | null | undefined)?.nodes ?? []);
  return children.flatMap((child) => [child, ...below(child)]);
}

const isHidden = (node: Node) => node.attributes?.some(({ name, value }) => name === "aria-hidden" && (value === true || JSON.stringify(value).includes('"true"'))) ?? false;

/** Whether something below can be read: text, a value, or a component that says something itself. */
function says(node: Node): boolean {
  return below(node).some(
    (child) =>
      (child.type === "Text" && /[\p{L}\p{N}]/u.test(child.data ?? "")) ||
      ["ExpressionTag", "RenderTag", "HtmlTag"].includes(child.type) ||
      (child.type === "Component" && !MUTE.has(child.name ?? "")) ||
      (child.type === "SlotElement") ||
      (["RegularElement"].includes(child.type) && attribute(child, "aria-label")),
  );
}

const hasIcon = (node: Node) => below(node).some((child) => MUTE.has(child.name ?? "") || child.name === "svg");

/** What in a component is only an icon and lacks a name for ears or a tooltip for eyes. */
export function unnamed(source: string): string[] {
  const root = parse(source, { modern: true }) as unknown as Node;
  return below(root).flatMap((node) => {
    const line = source.slice(0, node.start).split("\n").length;
    const what = `${line}: <${node.name ?? ""}>`;
    if (node.type !== "RegularElement" || isHidden(node)) return [];
    if (CONTROLS.has(node.name ?? "") && hasIcon(node) && !says(node)) {
      // What opens a tip of its own under the pointer needs no second one.
      const tips = node.attributes?.some(({ name }) => /^on(mouse|pointer)enter$/.test(name ?? "")) ? ["aria-label"] : ["aria-label", "title"];
      return tips.filter((name) => !attribute(node, name)).map((name) => `${what} has no ${name}`);
    }
    // A sign that stands in a box of its own says something; a word for ears must stand in the same box.
    if (node.name === "span" && attribute(node, "class") && signsOnly(node)) return [`${what} is a sign without a word`];
    return [];
  });
}

/** A box marked as a sign that holds nothing but drawings. */
function signsOnly(node: Node): boolean {
  const marked = node.attributes?.find(({ name }) => name === "class")?.value;
  return /"sign\b/.test(JSON.stringify(marked)) && hasIcon(node) && !says(node) && !attribute(node, "aria-label");
}

const files = (readdirSync(ROOT, { recursive: true }) as string[]).filter((name) => name.endsWith(".svelte"));

describe("every icon has a name", () => {
  test("the walk finds a button with an icon only, and a sign without a word", () => {
    expect(unnamed('<button><Icon name="x" /></button>')).toEqual(["1: <button> has no aria-label", "1: <button> has no title"]);
    expect(unnamed('{#if a}<a href="/"><svg aria-hidden="true" /></a>{/if}')).toHaveLength(2);
    expect(unnamed('<button><Icon name="x" /> Retry</button>')).toEqual([]);
    expect(unnamed('<span class="sign"><Icon name="x" /></span>')).toHaveLength(1);
  });

  test("and finds none on any page", () => {
    expect(files.length).toBeGreaterThan(150);
    const found = files.flatMap((name) => unnamed(readFileSync(join(ROOT, name), "utf8")).map((fault) => `${name}:${fault}`));
    expect(found).toEqual([]);
  });
});
