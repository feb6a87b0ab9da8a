import { limits } from '@raha/contract/limits.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toSquareWebp } from '../../src/platform/square-image.ts';
import { picture, upload } from '../pictures.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

/** The picture of a user: what is accepted, and what becomes of it. */
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

describe('the picture', () => {
  test('is decoded and stored as a square without metadata, at an address of its own', async () => {
    const user = await world.user({ usdCents: 0 });
    const exif = { IFD0: { Copyright: 'home address' } };
    const photo = await sharp({ create: { width: 900, height: 500, channels: 3, background: '#fff' } })
      .jpeg()
      .withExif(exif)
      .toBuffer();
    const first = await upload(world, user, photo);
    expect(first.status).toBe(200);
    const shown = await fetch(world.origin + first.avatarUrl);
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    });
    const kept = Buffer.from(await shown.arrayBuffer());
    expect(await sharp(kept).metadata()).toMatchObject({ format: 'webp', width: 256, height: 256 });
    expect(kept.includes('home address')).toBe(false);
    expect((await user.api.me()).user.avatar).toBe(first.avatarUrl);
    const second = await upload(world, user, await picture(40, 4).png().toBuffer());
    expect(second.avatarUrl).not.toBe(first.avatarUrl);
    expect((await fetch(world.origin + first.avatarUrl)).status).toBe(404);
    expect((await user.api.deleteAvatar()).user.avatar).toBeNull();
    expect((await fetch(world.origin + second.avatarUrl)).status).toBe(404);
  });

  test('two at once: one of them is kept, and that one is shown', async () => {
    const user = await world.user({ usdCents: 0 });
    const files = await Promise.all([picture(30).png().toBuffer(), picture(31).webp().toBuffer()]);
    const answers = await Promise.all(files.map((file) => upload(world, user, file)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { avatar } = (await user.api.me()).user;
    expect(answers.map(({ avatarUrl }) => avatarUrl)).toContain(avatar);
    expect((await fetch(world.origin + avatar)).status).toBe(200);
  });

  test.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['half a picture', 'half'],
    ['nothing', Buffer.alloc(0)],
  ] as const)('%s is refused with the sentence of the specification', async (_, content) => {
    const user = await world.user({ usdCents: 0 });
    let file = content as Buffer;
    if (content === 'half') file = (await picture(300).jpeg().toBuffer()).subarray(0, 400);
    const answer = await upload(world, user, file);
    expect(answer).toMatchObject({ status: 422, errors: { avatar: 'فقط فایل‌های تصویری مجاز هستند' } });
    expect((await user.api.me()).user.avatar).toBeNull();
  });

  test('more than 12 megapixels, AVIF and HEIF: refused with a sentence before anything is decoded (audit S10)', async () => {
    const user = await world.user({ usdCents: 0 });
    const sentences = { pixels: 'ابعاد تصویر زیاد است', avif: 'تصویر AVIF یا HEIC پذیرفته نمی‌شود' };
    const files: [Buffer, string][] = [
      [await picture(10_000).png({ compressionLevel: 9 }).toBuffer(), sentences.pixels],
      [await picture(3_500).jpeg().toBuffer(), sentences.pixels],
      [await picture(64).avif().toBuffer(), sentences.avif],
      [Buffer.from('....ftypheic........'), sentences.avif],
      [Buffer.from('....ftypmif1........'), sentences.avif],
    ];
    for (const [file, sentence] of files) {
      const { status, errors } = await upload(world, user, file);
      expect([status, errors?.avatar]).toEqual([422, expect.stringContaining(sentence)]);
    }
    expect((await upload(world, user, await picture(3_400).jpeg().toBuffer())).status).toBe(200);
  });

  test('pictures wait in a short queue: beyond it, come back in a moment', async () => {
    const file = await picture(2_000).png().toBuffer();
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => toSquareWebp(file, limits.avatar)));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused.length).toBe(60 - limits.avatar.queueLength);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'unavailable' });
    expect(await toSquareWebp(await picture(20).png().toBuffer(), limits.avatar)).toBeInstanceOf(Buffer);
  });

  test('more than 2 MB, another field, no file, no form', async () => {
    const user = await world.user({ usdCents: 0 });
    const sentence = 'حجم فایل نباید از 2 مگابایت بیشتر باشد';
    for (const size of [2_000_001, 5_000_000]) {
      expect(await upload(world, user, Buffer.alloc(size))).toMatchObject({
        status: 422,
        errors: { avatar: sentence },
      });
    }
    expect((await upload(world, user, await picture(20).png().toBuffer(), 'other')).status).toBe(422);
    expect((await upload(world, user, undefined)).status).toBeGreaterThanOrEqual(400);
    const post = (body: string, type: string) =>
      fetch(`${world.origin}${API_BASE}/user/avatar`, {
        method: 'POST',
        headers: { authorization: `Bearer ${user.token}`, 'content-type': type },
        body,
      });
    expect((await post('{}', 'application/json')).status).toBe(415);
    expect((await post('garbage', 'multipart/form-data; boundary=x')).status).toBe(400);
    // Other calls accept no forms with files.
    const elsewhere = await fetch(`${world.origin}${API_BASE}/user/settings`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'multipart/form-data; boundary=x' },
      body: 'x',
    });
    expect(elsewhere.status).toBe(415);
  });

  test('turned by its orientation, and only the first frame of an animation', async () => {
    const tall = await sharp({ create: { width: 20, height: 60, channels: 3, background: '#000' } })
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const webp = (await toSquareWebp(tall, limits.avatar)) as Buffer;
    const { orientation, pages } = await sharp(webp).metadata();
    expect([orientation, pages]).toEqual([undefined, undefined]);
  });
});
