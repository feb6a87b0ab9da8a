import { API_BASE } from '@raha/contract/public/table.ts';
import type { TestWorld } from './world.ts';

/** A browser as the server sees one: it keeps cookies and sends Fetch Metadata. */
export class BrowserClient {
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();
  readonly #headers: Record<string, string>;
  token = '';

  constructor({ origin }: Pick<TestWorld, 'origin'>, headers: Record<string, string> = {}) {
    this.#origin = origin;
    this.#headers = headers;
  }

  /** The same browser, cookies included, that leaves out one of its own headers. */
  without(header: string): BrowserClient {
    const { [header]: _, ...headers } = this.#headers;
    const bare = new BrowserClient({ origin: this.#origin }, headers);
    for (const [name, value] of this.#cookies) bare.#cookies.set(name, value);
    return bare;
  }

  /** The header with its cookies. */
  cookies(): string {
    return [...this.#cookies].map((pair) => pair.join('=')).join('; ');
  }

  async post(path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
    return await this.call('POST', path, body);
  }

  async call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(this.#origin + API_BASE + path, {
      method,
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.#cookies.size > 0 ? { cookie: this.cookies() } : {}),
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...this.#headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      const value = pair.slice(at + 1);
      if (value === '') this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), value);
    }
    const answer = (await response.json()) as Record<string, unknown>;
    if (response.ok && typeof answer.token === 'string') this.token = answer.token;
    return { status: response.status, body: answer };
  }
}
