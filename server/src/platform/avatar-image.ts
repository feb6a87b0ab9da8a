import { limits } from '@raha/contract/limits.ts';
import sharp from 'sharp';

// Only decoders of photographs: no SVG, PDF or other formats that run code or fetch (ASVS 5.2). One picture uses one thread.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadHeifBuffer',
  ],
});
sharp.concurrency(1);
sharp.cache(false);

/** What a decoder may take of a processor for one picture. */
const DECODE_SECONDS = 10;

let before: Promise<unknown> = Promise.resolve();

/**
 * A picture that somebody sent, decoded and encoded anew as a square WebP: whatever else was in the file, place and camera
 * among it, is gone. Undefined for what is no picture, is broken, or has too many pixels. One at a time, so that many
 * large pictures at once cost time, not memory.
 */
export async function toAvatar(file: Buffer): Promise<Buffer | undefined> {
  const mine = before.then(() => convert(file));
  before = mine;
  return await mine;
}

async function convert(file: Buffer): Promise<Buffer | undefined> {
  const { maxPixels, side } = limits.avatar;
  try {
    return await sharp(file, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 })
      .autoOrient()
      .resize(side, side, { fit: 'cover', position: 'attention' })
      .timeout({ seconds: DECODE_SECONDS })
      .webp({ quality: 82 })
      .toBuffer();
  } catch {
    return undefined;
  }
}
