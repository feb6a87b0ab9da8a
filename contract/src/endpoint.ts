/**
 * One endpoint of the product: the single description from which come the server's validation, the typed client, the
 * forms' rules and the OpenAPI document.
 *
 * Schemas are constrained by their zod internals instead of `z.ZodType`, which keeps type checking of the whole table
 * about three times faster.
 */
export interface Schema {
  readonly _zod: { readonly input: unknown; readonly output: unknown };
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Who may call: `public` anyone; `user` a signed-in user; `refresh` the refresh cookie; `node` a VPN server with its
 * own key (RFC 7523); `callback` a browser coming back from a bank, which proves nothing by itself.
 */
export type Caller = 'public' | 'user' | 'refresh' | 'node' | 'callback';

/** A call, without its caller. The console's calls have callers of their own (`admin/endpoint.ts`). */
export interface AnyEndpoint {
  readonly method: Method;
  /** Path below the base, parameters in braces: `/user/configs/{id}`. */
  readonly path: string;
  /** Other spellings of the same call, answered by the same use case. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly params?: Schema;
  readonly query?: Schema;
  readonly body?: Schema;
  /** The whole body of a successful answer; absent for files and streams. */
  readonly response?: Schema;
  /** Instead of a JSON body: one file in this field of `multipart/form-data`. */
  readonly upload?: { readonly field: string; readonly maxBytes: number };
  /** The largest body, where it is more than `limits.http.bodyBytes`. */
  readonly bodyBytes?: number;
  /** Media type of a successful answer that is not JSON. */
  readonly produces?: string;
  readonly status?: number;
}

export interface Endpoint extends AnyEndpoint {
  readonly caller: Caller;
}

export type EndpointTable = Readonly<Record<string, Endpoint>>;

/** The endpoint, with its exact type. Pure, and marked so: the web's program leaves out those that it does not name. */
/* @__NO_SIDE_EFFECTS__ */
export function defineEndpoint<const E extends Endpoint>(endpoint: E): E {
  return endpoint;
}

type InputOf<E, K extends string> = E extends { readonly [k in K]: { _zod: { input: infer I } } } ? I : undefined;
type OutputOf<E, K extends string> = E extends { readonly [k in K]: { _zod: { output: infer O } } } ? O : undefined;

type Part<E, K extends 'params' | 'query' | 'body'> = E extends { readonly [k in K]: { _zod: { input: infer I } } }
  ? Record<never, never> extends I
    ? { readonly [k in K]?: I }
    : { readonly [k in K]: I }
  : Record<never, never>;

/** The input of an endpoint, as its caller passes it. */
export type Arguments<E> = Part<E, 'params'> & Part<E, 'query'> & Part<E, 'body'>;

/** The input of a handler, after validation. */
export interface Validated<E> {
  readonly params: OutputOf<E, 'params'>;
  readonly query: OutputOf<E, 'query'>;
  readonly body: OutputOf<E, 'body'>;
}

/** The result of a handler, before the response schema is applied. */
export type Reply<E> = InputOf<E, 'response'>;

/** The result for a client: the parsed response, or the text of a response that is not JSON. */
export type Answer<E> = E extends { readonly produces: string } ? string : OutputOf<E, 'response'>;
