/** Every text of the build beside itself as .br and .gz, once: the server picks the one that the browser takes. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const TEXT = /\.(js|css|svg|json|txt|html|wasm)$/;
/** Below this the header of an answer is most of it. */
const SMALLEST = 512;

export function compress(): Plugin {
  let out = "dist";
  return {
    name: "compress",
    apply: "build",
    configResolved: (config) => void (out = config.build.outDir),
    closeBundle() {
      const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && TEXT.test(entry.name));
      for (const entry of files) {
        const path = join(entry.parentPath, entry.name);
        const bytes = readFileSync(path);
        if (bytes.length < SMALLEST) continue;
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
      }
    },
  };
}

/** The font's licence asks to travel with the font. */
export function licenceOfFont(): Plugin {
  return {
    name: "licence-of-font",
    apply: "build",
    generateBundle() {
      const source = readFileSync("node_modules/@fontsource-variable/inter/LICENSE", "utf8");
      this.emitFile({ type: "asset", fileName: "licences/inter.txt", source });
    },
  };
}
