import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

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

/** What only some pages need is a file of its own, together with what of ours leads to it: the floor and a ticket do
 * without. What it needs itself stays where it is, or everybody would fetch the library for the runtime in its file. */
const LIBRARIES = [
  { name: "combobox", test: /node_modules\/(bits-ui|@floating-ui|runed|svelte-toolbelt|tabbable|style-to-object|inline-style-parser)\/|src\/(lib\/(Combobox|TypeAhead)|tables\/(Suggest|FieldInput))\.svelte/ },
  { name: "rows", test: /node_modules\/@tanstack\/virtual-core\/|src\/util\/rows\.svelte\.ts/ },
  { name: "table", test: /node_modules\/@tanstack\/(table-core|store)\/|src\/util\/table\.svelte\.ts/ },
  { name: "plot", test: /node_modules\/uplot\/|src\/lib\/(Chart\.svelte|plot\.ts)/ },
].map((library) => ({ ...library, includeDependenciesRecursively: false }));

// Django serves everything under dist/ at /static/ and dist/index.html at every other path that is not the API's.
export default defineConfig({
  base: "/static/",
  plugins: [svelte(), compressed("dist")],
  build: {
    outDir: "dist",
    manifest: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // What several pages share is one file: a first visit asks for a dozen files, not for thirty.
    rolldownOptions: { output: { codeSplitting: { groups: [...LIBRARIES, { name: "shared", minShareCount: 3 }] } } },
    assetsInlineLimit: (file) => (file.endsWith(".woff2") ? false : undefined), // the page's policy loads no font from data:
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
