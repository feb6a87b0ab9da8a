import { API_BASE } from '@raha/contract/public/table.ts';
import sharp from 'sharp';
import type { TestUser, TestWorld } from './world.ts';

/** Sends a picture as the panel does. */
export async function upload(
  world: Pick<TestWorld, 'origin'>,
  user: TestUser,
  file: Buffer | undefined,
  field = 'avatar',
  type = 'image/png',
) {
  const form = new FormData();
  if (file) form.set(field, new Blob([new Uint8Array(file)], { type }), 'picture.png');
  const response = await fetch(`${world.origin}${API_BASE}/user/avatar`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.token}` },
    body: form,
  });
  const body = (await response.json()) as { avatarUrl?: string; code?: string; errors?: Record<string, string> };
  return { status: response.status, ...body };
}

/** A picture of one colour. */
export const picture = (side: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width: side, height: side, channels, background: '#1b3a8a' } });
