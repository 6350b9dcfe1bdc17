/** Finds codes in pictures, off the page: for browsers that have no detector of their own. */
import wasm from "zxing-wasm/reader/zxing_reader.wasm?url";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

prepareZXingModule({ overrides: { locateFile: () => wasm } });

onmessage = async ({ data }: MessageEvent<{ id: number; picture: ImageData | null }>) => {
  try {
    const found = data.picture ? await readBarcodes(data.picture, { formats: ["QRCode", "DataMatrix", "Code128", "Code39"], tryHarder: true, maxNumberOfSymbols: 1 }) : await prepareZXingModule({ fireImmediately: true });
    postMessage({ id: data.id, text: Array.isArray(found) ? (found.find((each) => each.isValid)?.text ?? null) : null });
  } catch (error) {
    postMessage({ id: data.id, text: null, error: String(error) });
  }
};
