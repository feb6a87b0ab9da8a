/** A bank's answer to one request, as text; `unreadable`: the outcome is unknown. */
export type BankText =
  | { readonly kind: 'read'; readonly status: number; readonly text: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface BankRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly form?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const MAX_ANSWER_BYTES = 256 * 1024;

/**
 * Posts to a bank. A timeout, a broken connection, a redirect, a status of 500 or above and an answer larger than 256
 * KiB are `unreadable`. Every other status is left to the adapter, because banks use statuses differently.
 */
export async function askBank(url: string, request: BankRequest): Promise<BankText> {
  const body = request.form ? new URLSearchParams(request.form).toString() : JSON.stringify(request.json ?? {});
  const type = request.form ? 'application/x-www-form-urlencoded' : 'application/json';
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': type, ...request.headers },
      body,
      // A payment host that redirects is not the host we trust (ASVS 15.3.2).
      redirect: 'error',
      signal: AbortSignal.timeout(request.timeoutMs),
    });
    if (response.status >= 500) {
      await response.body?.cancel();
      return { kind: 'unreadable', reason: `HTTP ${response.status}` };
    }
    return { kind: 'read', status: response.status, text: await readLimited(response) };
  } catch (error) {
    return { kind: 'unreadable', reason: error instanceof Error ? error.name : 'network' };
  }
}

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new RangeError('answer too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The object in a JSON answer; long whole numbers become text, because JSON.parse would round them. */
export function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text.replace(/("[\w-]+"\s*:\s*)(\d{15,})(?=\s*[,}])/g, '$1"$2"'));
    return isRecord(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Banks send numbers as numbers or as text. */
export function toWhole(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

export function toText(value: unknown): string | undefined {
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  return typeof value === 'number' ? String(value) : undefined;
}
