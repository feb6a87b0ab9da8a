/** Rejects where the work is not done in time; what comes of it later is nobody's. */
export function within<T>(timeoutMs: number, what: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what}: no answer within ${timeoutMs} ms`)), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
