/** After this time a key is forgotten, even if its request has not ended (specification 1, section 7). */
const FORGET_MS = 30_000;
const SWEEP_MS = 10_000;

/**
 * `fetch` that does not send a request twice: while a request with the same method, address and body is pending, the
 * second one gets `{ success: false, message: 'Duplicate request' }` without being sent. Reads are not affected:
 * repeating them changes nothing, and the query cache already merges them.
 */
export function withoutDuplicates(send: typeof fetch, now: () => number): typeof fetch {
  const startedAt = new Map<string, number>();
  let sweeping: ReturnType<typeof setInterval> | undefined;

  const sweep = () => {
    for (const [key, at] of startedAt) if (now() - at >= FORGET_MS) startedAt.delete(key);
    if (startedAt.size > 0) return;
    clearInterval(sweeping);
    sweeping = undefined;
  };

  return async (input, init = {}) => {
    const { method = 'GET', body } = init;
    if (method === 'GET' || (body !== undefined && typeof body !== 'string')) return await send(input, init);
    const key = `${method} ${String(input)} ${body ?? ''}`;
    if (startedAt.has(key)) return duplicateAnswer();
    const at = now();
    startedAt.set(key, at);
    sweeping ??= setInterval(sweep, SWEEP_MS);
    try {
      return await send(input, init);
    } finally {
      if (startedAt.get(key) === at) startedAt.delete(key);
    }
  };
}

function duplicateAnswer(): Response {
  return Response.json({ success: false, code: 'duplicate', message: 'Duplicate request' }, { status: 409 });
}
