import { access, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { createHash } from "node:crypto";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { build, type Plugin, type Rolldown } from "vite";
import { defineConfig } from "vitest/config";
import { filesOf, type Manifest } from "./src/phone/shell/rules.ts";

const backend = process.env.RACKSIDE_BACKEND ?? "http://127.0.0.1:8100";

/** Each text file of the build once more as .br and .gz: WhiteNoise sends those, and compresses nothing itself. */
const compressed = (folder: string): Plugin => ({
  name: "compressed",
  apply: "build",
  closeBundle: async () => {
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const texts = files.filter((file) => file.isFile() && /\.(js|css|svg|json)$/.test(file.name));
    await Promise.all(
      texts.map(async (file) => {
        const path = join(file.parentPath, file.name);
        const plain = await readFile(path);
        if (plain.length < LEAST_BYTES) return;
        await writeFile(`${path}.br`, await promisify(brotliCompress)(plain));
        await writeFile(`${path}.gz`, await promisify(gzip)(plain, { level: 9 }));
      }),
    );
  },
});
/** Smaller files fit into one packet anyway. */
const LEAST_BYTES = 1_000;

const component = (name: string) => `src/${name}.svelte`;
/** Opened without reception: the start, the tickets, one ticket, the round, and what they fetch in the aisle. */
const AISLE = [
  "src/main.ts",
  ...["pages/Tickets", "pages/TicketPage", "phone/Round", "phone/OutboxBanner", "phone/OutboxSheet", "lib/MoreSheet", "lib/HistoryStrip", "lib/UserMenu", "lib/PausedBanner"].map(component),
  ...["AskReason", "ConflictDialog", "OrderBox", "MoveStep", "ScanForm", "SwapForm", "StepResult", "Talk", "NextTicket", "VerificationBox"].map((name) => component(`ticket/${name}`)),
  ...["RunbookHead", "StepRun", "StepSign"].map((name) => component(`ticket/${name}`)),
  ...["phone/StepPhotos", "automation/OfMachine", "phone/Reception", "lib/PlacePicture", "lib/EvidenceBlock", "desk/DeskBox", "desk/SubTasks", "vendors/CaseBox"].map(component),
  ...["shift/Keys", "shift/Saved", "insight/GeneratedMark"].map(component),
  "src/phone/shell/install.ts",
];
const PLAIN = ["theme.js", "icon.svg", "manifest.webmanifest"];

/** The files of the build: each chunk with what it imports at once, and for each source of the aisle the chunk that holds it. */
function shellOf(chunks: Rolldown.OutputChunk[]): Manifest {
  const found: Manifest = {};
  for (const chunk of chunks) found[chunk.fileName] = { file: chunk.fileName, imports: chunk.imports, css: [...(chunk.viteMetadata?.importedCss ?? [])] };
  for (const source of AISLE) {
    const holder = chunks.find((chunk) => chunk.moduleIds.includes(join(import.meta.dirname, source)));
    if (!holder) throw new Error(`${source} is in no file of the build: it would be missing without reception.`);
    found[source] = found[holder.fileName]!;
  }
  return found;
}

/** The service worker, as one file without a hash in its name: browsers look for the next build of it at the same address. */
const serviceWorker = (folder: string): Plugin => {
  let shell: Manifest = {};
  return {
    name: "service-worker",
    apply: "build",
    generateBundle: (_, bundle) => {
      shell = shellOf(Object.values(bundle).filter((output) => output.type === "chunk"));
    },
    closeBundle: {
      order: "pre",
      sequential: true,
      handler: async () => {
        const files = [...filesOf(shell, AISLE), ...PLAIN].map((file) => `/static/${file}`);
        // One that is not there keeps the worker from installing, without a word. Vite drops a chunk that holds styles alone.
        await Promise.all(files.map((file) => access(join(folder, file.slice("/static/".length)))));
        const index = await readFile(join(folder, "index.html"));
        const name = createHash("sha256").update(files.join()).update(index).digest("hex").slice(0, 12);
        await build({
          configFile: false,
          logLevel: "warn",
          publicDir: false,
          define: { BUILD: JSON.stringify(name), SHELL: JSON.stringify(files) },
          build: {
            outDir: folder,
            emptyOutDir: false,
            target: "es2022",
            rolldownOptions: { input: "src/phone/shell/worker.ts", output: { entryFileNames: "sw.js", format: "iife" } },
          },
        });
      },
    },
  };
};

/** What only some pages need is a file of its own, together with what of ours leads to it: the floor and a ticket do
 * without. What it needs itself stays where it is, or everybody would fetch the library for the runtime in its file. */
const LIBRARIES = [
  { name: "combobox", test: /node_modules\/(bits-ui|@floating-ui|runed|svelte-toolbelt|tabbable|style-to-object|inline-style-parser)\/|src\/(lib\/(Combobox|TypeAhead)|tables\/(Suggest|FieldInput))\.svelte/ },
  { name: "rows", test: /node_modules\/@tanstack\/virtual-core\/|src\/util\/rows\.svelte\.ts/ },
  { name: "table", test: /node_modules\/@tanstack\/(table-core|store)\/|src\/util\/table\.svelte\.ts/ },
  { name: "plot", test: /node_modules\/uplot\/|src\/lib\/(Chart\.svelte|plot\.ts)/ },
].map((library) => ({ ...library, includeDependenciesRecursively: false }));

/** The words of the API's codes, each table as a module of its own: a page fetches those it shows, not all 130. */
const wordsApart: Plugin = {
  name: "words-apart",
  apply: "build",
  enforce: "pre",
  load: async (id) => {
    const [file, table] = id.split("?table=");
    if (!file?.endsWith("/api/generated/words.ts")) return null;
    const source = await readFile(file, "utf8");
    const names = [...source.matchAll(/^export const (\w+) = /gm)].map((found) => found[1]);
    if (table === undefined) return names.map((name) => `export { ${name} } from "./words.ts?table=${name}";`).join("\n");
    const start = source.indexOf(`export const ${table} = {`);
    return source.slice(start, source.indexOf("} as const", start) + 1);
  },
};

/** The pages of a phone and the first of a desk. */
const FIRST = Object.entries({
  ticket: "src/pages/TicketPage.svelte",
  tickets: "src/pages/Tickets.svelte",
  round: "src/phone/Round.svelte",
  floor: "src/pages/Floor.svelte",
}).map(([name, page]) => ({ name, path: join(import.meta.dirname, page) }));
interface Modules {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null;
}
const reached = new Map<string, Set<string>>();

function importedBy(page: string, modules: Modules): Set<string> {
  const known = reached.get(page);
  if (known) return known;
  const found = new Set<string>();
  const next = [page];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    if (id.endsWith("/api/generated/words.ts")) continue; // it names every table; which are used is known by its readers
    next.push(...(modules.getModuleInfo(id)?.importedIds ?? []));
  }
  reached.set(page, found);
  return found;
}

/** A file for each set of these pages that shares something, so that none loads what only another needs. */
const firstOf = (id: string, modules: Modules): string | null =>
  FIRST.filter(({ path }) => importedBy(path, modules).has(id))
    .map(({ name }) => name)
    .join("-") || null;

/** Kept only where something of it is used: tables of words, and parts of Svelte's runtime for custom elements, of which there are none. */
const UNUSED = /words\.ts\?table=|svelte\/src\/(internal\/client\/dom\/elements\/custom-element|legacy\/legacy-client)\.js$/;

/** What is shown a moment later, each as one file for all that is then asked for: the bar and what may stand above a page,
 * and what stands beside the steps of a ticket. */
const LATER = [
  { name: "bar", test: /src\/(lib\/(SearchBox|UserMenu|PausedBanner)|shift\/Saved|insight\/GeneratedMark|phone\/OutboxBanner)\.svelte/ },
  { name: "layers", test: /src\/(floor\/(LayerMenu\.svelte|calls\.ts)|[a-z]+\/DayStrip\.svelte)/ },
  { name: "beside", test: /src\/(lib\/(PlacePicture|EvidenceBlock|HistoryStrip)|phone\/Reception|desk\/(DeskBox|SubTasks)|ticket\/(Talk|RunbookHead)|automation\/OfMachine|vendors\/CaseBox)\.svelte/ },
].map((each) => ({ ...each, includeDependenciesRecursively: false }));

/** What several pages share is one file: a first visit asks for a dozen files, not for thirty. */
const GROUPS = [
  ...LIBRARIES,
  ...LATER,
  { name: "start", tags: ["$initial" as const], priority: 2 },
  { name: "words", test: /words\.ts\?table=/, minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 3_000, priority: 1 },
  { name: firstOf, minShareCount: 2, includeDependenciesRecursively: false },
  { name: "shared", minShareCount: 3 },
];

// Django serves everything under dist/ at /static/ and dist/index.html at every other path that is not the API's.
export default defineConfig({
  base: "/static/",
  plugins: [svelte(), wordsApart, serviceWorker("dist"), compressed("dist")],
  build: {
    outDir: "dist",
    manifest: true,
    target: "es2022",
    // The list of what to fetch along with each page is in everybody's first file: only for the pages that a phone opens.
    modulePreload: { polyfill: false, resolveDependencies: (file, needed) => needed.filter((each) => each.endsWith(".css") || /\/(TicketPage|Tickets|Round|Floor)-/.test(`/${file}`)) },
    rolldownOptions: { treeshake: { moduleSideEffects: [{ test: UNUSED, sideEffects: false }] }, output: { codeSplitting: { groups: GROUPS } } },
    assetsInlineLimit: (file) => (/\.(woff2|wasm)$/.test(file) ? false : undefined), // the page's policy loads no font from data:
  },
  server: {
    proxy: {
      "/api": backend,
      "/accounts": backend,
      "/ws": { target: backend.replace(/^http/, "ws"), ws: true },
    },
  },
  // A machine that does other things besides is slow, and not wrong.
  // One process for all files: to import them anew for each took ten times as long as the tests.
  test: { environment: "node", testTimeout: 30_000, include: ["src/**/*.test.ts"], isolate: false, pool: "threads" },
});
