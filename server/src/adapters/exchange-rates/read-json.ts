/** A source's answer: parsed JSON, or undefined for anything but a good answer in time. */
export async function readJson(url: string, timeoutMs: number): Promise<unknown> {
  try {
    const response = await fetch(url, {
      // Nobitex asks programs to identify themselves in this form.
      headers: { accept: 'application/json', 'user-agent': 'TraderBot/Raha' },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return undefined;
    }
    return JSON.parse(await readLimited(response));
  } catch {
    return undefined;
  }
}

/** tgju's file of all prices is about 300 KB. */
const MAX_BYTES = 2_000_000;

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new RangeError('answer too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads a nested field of an unknown value. */
export function field(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<string | number, unknown>)[key];
  }
  return current;
}

/** A positive number, given as a number or as text with thousands separators. */
export function figure(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value.replaceAll(',', '')) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : undefined;
}

/** The midpoint of the best ask and the best bid; undefined without both, or if they have crossed. */
export function midOf(bestAsk: unknown, bestBid: unknown): number | undefined {
  const ask = figure(bestAsk);
  const bid = figure(bestBid);
  return ask === undefined || bid === undefined || bid > ask ? undefined : (ask + bid) / 2;
}
