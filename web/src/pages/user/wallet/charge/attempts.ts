/**
 * One idempotency key per attempt to pay: the same body that is sent again, because no answer came, is the same
 * attempt; another amount or another bank is a new one.
 */
export function createAttempts(newKey: () => string) {
  let current: { readonly body: string; readonly key: string } | undefined;
  return {
    keyFor(body: unknown): string {
      const text = JSON.stringify(body);
      if (current?.body !== text) current = { body: text, key: newKey() };
      return current.key;
    },
    /** The server has answered: whatever comes next is another payment. */
    over(): void {
      current = undefined;
    },
  };
}
