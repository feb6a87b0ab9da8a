import sharp from 'sharp';
import { Refusal } from './refusal.ts';

// Only decoders of photographs, not SVG, PDF or other formats that run code or fetch (ASVS 5.2). One thread per picture.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
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
  /** Pictures that may wait. */
  readonly queueLength: number;
}

/** Why a file is not converted: the field errors of an upload. */
export type ImageProblem = 'file_not_image' | 'file_too_many_pixels' | 'file_heif';

let before: Promise<unknown> = Promise.resolve();
let waiting = 0;

/**
 * Decodes an uploaded picture and encodes it again as a square WebP, which drops all metadata such as location and camera;
 * or says why not. Format and dimensions are read from the header first, because a small file can cost seconds to decode.
 * One at a time, so that many pictures at once cost time, not memory. Refuses `unavailable` when too many wait.
 */
export async function toSquareWebp(file: Buffer, size: ImageSize): Promise<Buffer | ImageProblem> {
  if (isHeif(file)) return 'file_heif';
  if (waiting >= size.queueLength) throw new Refusal('unavailable', { retryAfterSeconds: 2 });
  waiting += 1;
  const mine = before.then(() => convert(file, size)).finally(() => (waiting -= 1));
  before = mine;
  return await mine;
}

/** AVIF and HEIC: a few hundred bytes decode to megapixels in seconds (ISO/IEC 23008-12, file type box). */
function isHeif(file: Buffer): boolean {
  const brand = file.subarray(8, 12).toString('latin1');
  return file.subarray(4, 8).toString('latin1') === 'ftyp' && /^(avi[fs]|he[iv][csmx]|mi[fa]1|msf1)$/.test(brand);
}

async function convert(file: Buffer, { maxPixels, side }: ImageSize): Promise<Buffer | ImageProblem> {
  try {
    const { width, height } = await sharp(file, { limitInputPixels: false, pages: 1 }).metadata();
    if (width * height > maxPixels) return 'file_too_many_pixels';
    return await sharp(file, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 })
      .autoOrient()
      .resize(side, side, { fit: 'cover', position: 'attention' })
      .timeout({ seconds: DECODE_SECONDS })
      .webp({ quality: 82 })
      .toBuffer();
  } catch {
    return 'file_not_image';
  }
}
