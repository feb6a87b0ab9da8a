import { passwordSpellings } from '@raha/contract/password.ts';
import { visitorApi } from '../../../api/visitor-client.ts';

/** Whether a password is one of the commonest. The server gets three digits of its hash, never the password. */
export async function isCommon(password: string): Promise<boolean> {
  for (const spelling of passwordSpellings(password)) {
    const hash = await hashOf(spelling);
    const { hashes } = await visitorApi.commonPasswords({ params: { prefix: hash.slice(0, 3) } });
    if (hashes.includes(hash)) return true;
  }
  return false;
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest).subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
