// A printed code as PNG on standard output: node barcode.mjs FORMAT TEXT. Written by the writer of the library that the
// dashboard reads with; a scanner's maker prints the same symbols.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../frontend/package.json", import.meta.url));
const { prepareZXingModule, writeBarcode } = require("zxing-wasm/writer");
const [format, text] = process.argv.slice(2);
const wasmBinary = await readFile(require.resolve("zxing-wasm/writer/zxing_writer.wasm"));
await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
const { image, error } = await writeBarcode(text, { format, scale: 6, addQuietZones: true });
if (error) throw new Error(error);
process.stdout.write(Buffer.from(await image.arrayBuffer()));
