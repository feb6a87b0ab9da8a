import { limits } from '@raha/contract/limits.ts';

/**
 * A picture small enough for a slow line: its longer side at most `limits.avatar.uploadSide` pixels. A picture that is small
 * already, or that this browser cannot read, is sent as it is; the server says what is wrong with it.
 */
export async function shrinkPicture(file: File): Promise<Blob> {
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (!picture) return file;
  const scale = Math.min(1, limits.avatar.uploadSide / Math.max(picture.width, picture.height));
  if (scale === 1 && file.size <= SMALL_BYTES) return file;
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d');
  if (!context) return file;
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const webp = await encode(canvas, 'image/webp');
  // Safari writes no WebP. JPEG knows no transparency, so the picture stands on white.
  if (webp?.type === 'image/webp') return webp;
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  return (await encode(canvas, 'image/jpeg')) ?? file;
}

const SMALL_BYTES = 100_000;

function encode(canvas: HTMLCanvasElement, type: string): Promise<Blob | null> {
  return new Promise((resolve) => canvas.toBlob(resolve, type, 0.85));
}
