import * as z from 'zod/mini';
import type { AnyEndpoint, Caller, Endpoint, Schema } from './endpoint.ts';
import { errors } from './errors.ts';

type Json = Record<string, unknown>;

/** How callers show who they are, and what each call asks of them. */
interface Access<E> {
  readonly schemes: Json;
  readonly securityOf: (endpoint: E) => readonly Json[];
}

/** The OpenAPI 3.1 document of an endpoint table (https://spec.openapis.org/oas/v3.1.0). */
export function openapi<E extends AnyEndpoint>(
  table: Readonly<Record<string, E>>,
  info: { title: string; version: string; server: string },
  access: Access<E>,
): Json {
  const paths: Record<string, Json> = {};
  for (const [name, endpoint] of Object.entries(table)) {
    const operation = { ...operationOf(endpoint), security: access.securityOf(endpoint) };
    for (const [index, path] of [endpoint.path, ...(endpoint.aliases ?? [])].entries()) {
      paths[path] ??= {};
      paths[path][endpoint.method.toLowerCase()] = {
        operationId: index === 0 ? name : `${name}Alias${index}`,
        ...operation,
      };
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: info.title, version: info.version },
    servers: [{ url: info.server }],
    paths,
    components: {
      securitySchemes: access.schemes,
      schemas: {
        Refusal: {
          type: 'object',
          required: ['success', 'code', 'message', 'request_id'],
          properties: {
            success: { const: false },
            code: { type: 'string', enum: Object.keys(errors) },
            message: {
              type: 'string',
              description: 'A sentence for a human reader, Persian unless English is asked for',
            },
            errors: { type: 'object', additionalProperties: { type: 'string' } },
            retry_after: { type: 'integer', description: 'Seconds' },
            request_id: { type: 'string' },
          },
        },
      },
    },
  };
}

const security: Record<Caller, Json[]> = {
  public: [],
  callback: [],
  user: [{ user: [] }],
  refresh: [{ refresh: [] }],
  node: [{ node: [] }],
};

/** Of the public table and that of nodes. */
export const publicAccess: Access<Endpoint> = {
  schemes: {
    user: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    refresh: { type: 'apiKey', in: 'cookie', name: 'refreshToken' },
    node: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT (EdDSA, RFC 7523)' },
  },
  securityOf: ({ caller }) => security[caller],
};

function operationOf(endpoint: AnyEndpoint): Json {
  const success = endpoint.response
    ? { content: { 'application/json': { schema: jsonSchema(endpoint.response, 'output') } } }
    : endpoint.produces
      ? { content: { [endpoint.produces]: { schema: { type: 'string' } } } }
      : {};
  return {
    summary: endpoint.summary,
    parameters: [...parametersOf(endpoint.params, 'path'), ...parametersOf(endpoint.query, 'query')],
    ...(endpoint.body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: jsonSchema(endpoint.body, 'input') } },
          },
        }
      : {}),
    ...(endpoint.upload
      ? { requestBody: { required: true, content: { 'multipart/form-data': fileOf(endpoint) } } }
      : {}),
    responses: {
      [String(endpoint.status ?? 200)]: { description: 'Done', ...success },
      default: {
        description: 'Refused',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
      },
    },
  };
}

function fileOf({ upload }: AnyEndpoint): Json {
  const field = upload?.field ?? 'file';
  const file = { type: 'string', contentMediaType: 'application/octet-stream', maxLength: upload?.maxBytes };
  return { schema: { type: 'object', required: [field], properties: { [field]: file } } };
}

function parametersOf(schema: Schema | undefined, location: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const object = jsonSchema(schema, 'input') as { properties?: Json; required?: string[] };
  return Object.entries(object.properties ?? {}).map(([name, property]) => ({
    name,
    in: location,
    required: location === 'path' || (object.required ?? []).includes(name),
    schema: property,
  }));
}

function jsonSchema(schema: Schema, io: 'input' | 'output'): Json {
  const { $schema: _, ...document } = z.toJSONSchema(schema as never, { io, unrepresentable: 'any' }) as Json;
  return document;
}
