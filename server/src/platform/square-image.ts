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

/** The processor time that one picture may take. */
const DECODE_SECONDS = 10;

export interface ImageSize {
  /** More than that are not decoded. */
  readonly maxPixels: number;
  /** Of the square that comes out. */
  readonly side: number;
}

let before: Promise<unknown> = Promise.resolve();

/**
 * A picture that somebody sent, decoded and encoded anew as a square WebP: whatever else was in the file, such as location and
 * camera, is gone. Undefined for what is no picture, is broken, or has too many pixels. One at a time, so that many
 * large pictures at once cost time, not memory.
 */
export async function toSquareWebp(file: Buffer, size: ImageSize): Promise<Buffer | undefined> {
  const mine = before.then(() => convert(file, size));
  before = mine;
  return await mine;
}

async function convert(file: Buffer, { maxPixels, side }: ImageSize): Promise<Buffer | undefined> {
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
