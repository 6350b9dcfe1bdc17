/** Writes openapi.d.ts and words.ts in src/api/generated from the service's OpenAPI document.
 *
 * `npm run generate` asks the service's code for the document, no server runs. `--document FILE` reads it from a file and
 * `--out FOLDER` writes elsewhere: so tests/test_generated_client.py sees whether what is committed is fresh.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import openapiTS, { astToString } from "openapi-typescript";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "..", "..");
const HEAD = "// Generated from the OpenAPI document by `npm run generate`. Do not edit.\n\n";
const LOOKUP = /__(ne|in|isnull|[gl]te?|i?exact|i?contains|i?startswith|i?endswith)$/;
const METHODS = new Set(["get", "post", "put", "patch", "delete"]);

function documentOfTheService() {
  const own = join(ROOT, ".venv", "bin", "python");
  const python = existsSync(own) ? own : "python3";
  const text = execFileSync(python, [join(ROOT, "manage.py"), "spectacular", "--format", "openapi-json"], { maxBuffer: 2 ** 28 });
  return JSON.parse(text);
}

/** What the dashboard's types have no use for: it would be nine tenths of the file.
 *
 * Refusals have one shape and become an ApiError; headers are the client's; lookups (`name__icontains`) and writes of many
 * records go by kind, which is chosen at run time (src/tables/calls.ts).
 */
function pruned(document) {
  const { parameters, schemas } = document.components;
  const paths = {};
  for (const [path, operations] of Object.entries(document.paths)) {
    paths[path] = {};
    for (const [method, operation] of Object.entries(operations)) {
      if (!METHODS.has(method) || operation.operationId.includes("_bulk_")) continue;
      const said = (operation.parameters ?? []).map((each) => (each.$ref ? parameters[each.$ref.split("/").at(-1)] : each));
      paths[path][method] = {
        operationId: operation.operationId,
        parameters: said.filter((each) => each.in !== "header" && !LOOKUP.test(each.name)).map((each) => ({ ...each, description: undefined })),
        ...(operation.requestBody && { requestBody: inOneForm(operation.requestBody) }),
        responses: Object.fromEntries(Object.entries(operation.responses).filter(([status]) => Number(status) < 300)),
      };
    }
  }
  // Words, and what stands in refusals.
  const named = [...Object.entries(schemas).filter(([, schema]) => schema["x-words"]).map(([name]) => name), "ErrorBody", "Difference"];
  return withoutReadOnly({ ...document, paths, components: { schemas: reachable(schemas, paths, named) } });
}

/** A body that may also be sent as a form is sent as JSON. */
function inOneForm({ content, ...body }) {
  const json = content["application/json"];
  return { ...body, content: json ? { "application/json": json } : content };
}

/** The components that these paths need, and those named. */
function reachable(schemas, paths, named) {
  const found = new Set(named);
  const visit = (node) => {
    if (!node || typeof node !== "object") return;
    const name = typeof node.$ref === "string" ? node.$ref.split("/").at(-1) : null;
    if (name && !found.has(name)) {
      found.add(name);
      visit(schemas[name]);
    }
    Object.values(node).forEach(visit);
  };
  named.forEach((name) => visit(schemas[name]));
  visit(paths);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}

const withoutReadOnly = (node) => {
  if (Array.isArray(node)) return node.map(withoutReadOnly);
  if (!node || typeof node !== "object") return node;
  return Object.fromEntries(Object.entries(node).filter(([name, value]) => name !== "readOnly" || value !== true).map(([name, value]) => [name, withoutReadOnly(value)]));
};

/** Lines of openapi-typescript that say that something is not there, or what every answer has. */
const tidy = (text) =>
  text
    .replace(/^ +\w+\??: never;\n/gm, "")
    .replace(/^ +headers: \{\n +\[name: string\]: unknown;\n +\};\n/gm, "")
    .replace(/^ +parameters: \{\n +\};\n/gm, "")
    .replace(/^ +\/\*\* (Format: .*|@example 123|@constant|@enum \{.*\}|@description No response body) \*\/\n/gm, "")
    .replace(/^( +)(?! ?\*)/gm, (indent) => " ".repeat(indent.length / 2));

function words(schemas) {
  const tables = Object.entries(schemas).filter(([, schema]) => schema["x-words"]);
  const lines = tables.map(([name, { enum: codes, "x-words": said }]) => {
    const key = (code) => (/^[a-z_]\w*$/i.test(code) || Number.isInteger(code) ? code : JSON.stringify(code));
    const rows = codes.map((code) => `  ${key(code)}: { word: ${JSON.stringify(said[code].word)}, says: ${JSON.stringify(said[code].says)} },\n`);
    return `export const ${name} = {\n${rows.join("")}} as const satisfies Words<Schemas["${name}"]>;\n`;
  });
  return `/** The words that people read for the codes of the API; in the order in which lists show them. */
import type { Schemas } from "../schema.ts";

type Words<Code extends string | number> = Record<Code, { word: string; says: string }>;

${lines.join("\n")}`;
}

const { values: given } = parseArgs({ options: { document: { type: "string" }, out: { type: "string", default: join(HERE, "..", "src", "api", "generated") } } });
const document = given.document ? JSON.parse(readFileSync(given.document, "utf8")) : documentOfTheService();
mkdirSync(given.out, { recursive: true });
writeFileSync(join(given.out, "openapi.d.ts"), HEAD + tidy(astToString(await openapiTS(pruned(document), { defaultNonNullable: false }))));
writeFileSync(join(given.out, "words.ts"), HEAD + words(document.components.schemas));
