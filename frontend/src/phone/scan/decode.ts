/** Reads a code from a picture: by the browser's own detector where it knows all four kinds, else by ZXing in a worker. */

interface Detector {
  detect: (source: ImageBitmapSource) => Promise<{ rawValue: string }[]>;
}
interface DetectorClass {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats: () => Promise<string[]>;
}

const FORMATS = ["qr_code", "data_matrix", "code_128", "code_39"];
/** Longest side of what is looked at: a label held before the camera is larger in it, and more takes longer. */
const SIDE_PX = 1_280;

type Read = (source: HTMLVideoElement | ImageBitmap) => Promise<string | null>;

let reader: Promise<Read> | null = null;
const chosen = () => (reader ??= own().then((found) => found ?? byWorker()));

async function own(): Promise<Read | null> {
  const known = (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector;
  const formats = await known?.getSupportedFormats().catch((): string[] => []);
  if (!known || !FORMATS.every((format) => formats?.includes(format))) return null;
  const detector = new known({ formats: FORMATS });
  return async (source) => (await detector.detect(source))[0]?.rawValue ?? null;
}

function byWorker(): Read {
  const worker = new Worker(new URL("./decode.worker.ts", import.meta.url), { type: "module", name: "decode" });
  const asked = new Map<number, { resolve: (text: string | null) => void; reject: (error: Error) => void }>();
  let next = 0;
  worker.onmessage = ({ data }: MessageEvent<{ id: number; text: string | null; error?: string }>) => {
    const one = asked.get(data.id);
    asked.delete(data.id);
    if (data.error) one?.reject(new Error(data.error));
    else one?.resolve(data.text);
  };
  worker.onerror = () => {
    asked.forEach((one) => one.reject(new Error("The reader of codes could not be loaded.")));
    asked.clear();
  };
  const ask = (picture: ImageData | null) =>
    new Promise<string | null>((resolve, reject) => {
      asked.set(++next, { resolve, reject });
      worker.postMessage({ id: next, picture });
    });
  warmUp = () => ask(null);
  return (source) => ask(pixels(source));
}
let warmUp: () => Promise<unknown> = () => Promise.resolve();

function pixels(source: HTMLVideoElement | ImageBitmap): ImageData {
  const [width, height] = source instanceof HTMLVideoElement ? [source.videoWidth, source.videoHeight] : [source.width, source.height];
  const scale = Math.min(1, SIDE_PX / Math.max(width, height, 1));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  context.drawImage(source, 0, 0, canvas.width, canvas.height);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

/** What the code says; null when none is in the picture. Rejects when no reader can be had. */
export const decode: Read = async (source) => (await chosen())(source);

export async function decodeFile(file: Blob): Promise<string | null> {
  const picture = await createImageBitmap(file);
  try {
    return await decode(picture);
  } finally {
    picture.close();
  }
}

/** Fetch what reading needs, so that it is on the phone before reception is gone. */
export async function warm(): Promise<void> {
  await chosen();
  await warmUp();
}
