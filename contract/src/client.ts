import type { Answer, AnyEndpoint, Arguments } from './endpoint.ts';
import type { ErrorCode } from './errors.ts';

/**
 * Why a call failed other than by a refusal of the server: no response, a response that is not the product's, or the
 * same call was pending already.
 */
type LocalCode = 'network' | 'unknown' | 'duplicate';

/** A refusal as it arrives over the wire, or the absence of an answer (`code: 'network'`). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: ErrorCode | LocalCode;
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;

  constructor(
    status: number,
    code: ErrorCode | LocalCode,
    message: string,
    more: {
      fields?: Record<string, string> | undefined;
      retryAfterSeconds?: number | undefined;
      requestId?: string | undefined;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = more.fields ?? {};
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.requestId = more.requestId;
  }
}

type Table = Readonly<Record<string, AnyEndpoint>>;

export type Client<T extends Table> = {
  readonly [K in keyof T]: Record<never, never> extends Arguments<T[K]>
    ? (args?: Arguments<T[K]>, options?: CallOptions) => Promise<Answer<T[K]>>
    : (args: Arguments<T[K]>, options?: CallOptions) => Promise<Answer<T[K]>>;
};

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Instead of the transport's. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Transport {
  /** Scheme, host and base path without a trailing slash, or only the base path in a browser. */
  readonly baseUrl: string;
  /** Headers of every call, read at the time of the call (the bearer token changes). */
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  /** For every call; otherwise 10 s, and 30 s for files (`limits.http`, held equal by a test: it is too heavy here). */
  readonly timeoutMs?: number;
}

/** A typed client of the endpoint table. Every call resolves to the validated shape or throws `ApiError`. */
export function createClient<const T extends Table>(table: T, transport: Transport): Client<T> {
  const calls: Record<string, (args?: LooseArguments, options?: CallOptions) => Promise<unknown>> = {};
  for (const [name, endpoint] of Object.entries(table)) {
    calls[name] = (args = {}, options = {}) => call(endpoint, transport, args, options);
  }
  return calls as Client<T>;
}

interface LooseArguments {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

async function call(
  endpoint: AnyEndpoint,
  transport: Transport,
  args: LooseArguments,
  options: CallOptions,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(
    options.timeoutMs ?? transport.timeoutMs ?? (endpoint.produces ? 30_000 : 10_000),
  );
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  let refusal: ApiError;
  try {
    const response = await (transport.fetch ?? fetch)(transport.baseUrl + urlOf(endpoint.path, args), {
      method: endpoint.method,
      headers: {
        accept: endpoint.produces ?? 'application/json',
        ...(args.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...transport.headers?.(),
        ...options.headers,
      },
      ...(args.body === undefined ? {} : { body: JSON.stringify(args.body) }),
      signal,
    });
    if (response.ok) return await (endpoint.produces ? response.text() : response.json());
    refusal = toApiError(response.status, await response.json().catch(() => undefined));
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    // No answer, one that broke off, or one that is none of ours: a page of the café's network.
    const code = cause instanceof SyntaxError ? 'unknown' : 'network';
    throw new ApiError(0, code, code);
  }
  throw refusal;
}

export function urlOf(path: string, args: LooseArguments): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(args.params?.[name])));
  const query = Object.entries(args.query ?? {}).filter(([, value]) => value !== undefined);
  if (query.length === 0) return filled;
  return `${filled}?${new URLSearchParams(query.map(([key, value]): [string, string] => [key, String(value)])).toString()}`;
}

function toApiError(status: number, body: unknown): ApiError {
  if (typeof body !== 'object' || body === null) return new ApiError(status, 'unknown', 'unknown');
  const refusal = body as Record<string, unknown>;
  // Not held against the table: a browser would have to carry every sentence to know the codes.
  const code = typeof refusal.code === 'string' ? (refusal.code as ErrorCode | LocalCode) : 'unknown';
  return new ApiError(status, code, typeof refusal.message === 'string' ? refusal.message : 'unknown', {
    fields: refusal.errors as Record<string, string> | undefined,
    retryAfterSeconds: typeof refusal.retry_after === 'number' ? refusal.retry_after : undefined,
    requestId: typeof refusal.request_id === 'string' ? refusal.request_id : undefined,
  });
}
