import sharp from 'sharp';

// Only decoders of photographs, not SVG, PDF or other formats that run code or fetch (ASVS 5.2). One thread per picture.
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
  /** Larger pictures are not decoded. */
  readonly maxPixels: number;
  /** Of the resulting square, in pixels. */
  readonly side: number;
}

let before: Promise<unknown> = Promise.resolve();

/**
 * Decodes an uploaded picture and encodes it again as a square WebP, which drops all metadata such as location and camera.
 * Undefined if the file is not a picture, is broken, or has too many pixels. One at a time, so that many large pictures
 * at once cost time, not memory.
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
