/** Photos are made small on the phone: four megabytes of a camera are a minute in an aisle, 300 kB are seconds. */

const SIDE_PX = 1_600;
const QUALITY = 0.8;

/** The size in which a picture is kept: as it is, or with its longer side at the limit. */
export function fitted(width: number, height: number, side = SIDE_PX): { width: number; height: number } {
  const scale = Math.min(1, side / Math.max(width, height, 1));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Drawn anew, so that where it was taken does not leave the phone either. Rejects for what is no picture. */
export async function shrink(file: Blob): Promise<Blob> {
  const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
  const size = fitted(picture.width, picture.height);
  const canvas = Object.assign(document.createElement("canvas"), size);
  canvas.getContext("2d")!.drawImage(picture, 0, 0, size.width, size.height);
  picture.close();
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The photo could not be made smaller."))), "image/jpeg", QUALITY);
  });
}
