import type { OutgoingHttpHeaders } from 'node:http';
import { breakBody, contentTypes, type Draw, hostileHeader, hostileText, hostileValue, writeJson } from './hostile.ts';

/** One operation of an OpenAPI document. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  /** From the root of the server. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: JsonSchema | undefined;
  /** The field of a file, if the call takes one instead of JSON. */
  readonly upload?: string | undefined;
  readonly isOfNodes: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly pattern?: string;
}

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Buffer | undefined;
}

/** What requests may name: ids that answers have shown, and texts that pass the checks of well-known fields. */
export interface Known {
  readonly ids: readonly string[];
  readonly texts: Readonly<Record<string, readonly (string | number)[]>>;
}

export function operationsOf(document: object, base: string, isOfNodes: boolean): Operation[] {
  const { paths } = document as { paths: Record<string, Record<string, OpenApiOperation>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const content = operation.requestBody?.content ?? {};
      return {
        name: operation.operationId,
        method: method.toUpperCase(),
        path: base + path,
        parameters: operation.parameters,
        body: content['application/json']?.schema,
        upload: Object.keys(content['multipart/form-data']?.schema.properties ?? {})[0],
        isOfNodes,
      };
    }),
  );
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

/** A request for an operation, wrong in some way: in one field, in several, as a whole, in its text or in its headers. */
export function makeRequest(operation: Operation, known: Known, draw: Draw): FuzzRequest {
  const method = draw.once(30)
    ? draw.oneOf(['HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'DELETE', 'PUT', 'POST', 'GET'])
    : operation.method;
  const headers: OutgoingHttpHeaders = { 'x-forwarded-for': `198.51.${draw.number(0, 255)}.${draw.number(1, 254)}` };
  const body = method === 'GET' || method === 'HEAD' ? undefined : makeBody(operation, known, draw, headers);
  if (body && draw.once(12)) headers['content-type'] = draw.oneOf(contentTypes);
  for (let more = draw.once(3) ? draw.number(1, 3) : 0; more > 0; more -= 1) {
    const [name, value] = hostileHeader(draw);
    headers[name] = value;
  }
  return { method, path: makePath(operation, known, draw), headers, body };
}

/** A request for an operation with all its parameters, right as far as the document says. */
export function plainRequest(operation: Operation, known: Known, draw: Draw): FuzzRequest {
  const value = ({ name, schema }: Parameter) => encode(String(sampleOf(schema, name, known, draw)));
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const path = inPath.reduce((text, each) => text.replace(`{${each.name}}`, value(each)), operation.path);
  const query = operation.parameters.filter((parameter) => parameter.in === 'query');
  const body = operation.body ? Buffer.from(JSON.stringify(sampleOf(operation.body, 'body', known, draw))) : undefined;
  const search = query.map((each) => `${each.name}=${value(each)}`).join('&');
  return { method: operation.method, path: search ? `${path}?${search}` : path, headers: {}, body };
}

function makePath(operation: Operation, known: Known, draw: Draw): string {
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = operation.parameters.find((each) => each.in === 'path' && each.name === name);
    const text = draw.once(3) ? hostileText(draw) : String(sampleOf(parameter?.schema ?? {}, name, known, draw));
    return draw.once(8)
      ? Buffer.from(text)
          .toString('latin1')
          .replaceAll(/[^\x21-\x7e\x80-\xff]|[?#/]/g, '')
      : encode(text);
  });
  const query = operation.parameters.filter((parameter) => parameter.in === 'query');
  const pairs = query.flatMap(({ name, schema, required }) => {
    if (!required && draw.once(3)) return [];
    const value = draw.once(2) ? hostileText(draw) : String(sampleOf(schema, name, known, draw));
    const pair = `${name}=${draw.once(10) ? draw.oneOf(['%', '%00', '%ff%fe', '%u0041', '']) : encode(value)}`;
    // As an array, as an object, or given twice.
    return draw.once(8) ? [draw.oneOf([`${name}[]=a`, `${name}[a]=b`, pair]), pair] : [pair];
  });
  if (draw.once(15))
    pairs.push(draw.oneOf(['__proto__[a]=b', '&&&', '=', `a=${'x'.repeat(8_000)}`, 'constructor=1', '%=%']));
  return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled;
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed()).slice(0, 9_000);

function makeBody(operation: Operation, known: Known, draw: Draw, headers: OutgoingHttpHeaders): Buffer | undefined {
  if (operation.upload) return makeForm(operation.upload, draw, headers);
  if (!operation.body) return draw.once(3) ? jsonBody(draw.json(), headers) : undefined;
  if (draw.once(8)) return jsonBody(hostileValue(draw), headers);
  const value = sampleOf(operation.body, 'body', known, draw);
  const wrong = draw.oneOf([0, 1, 1, 1, 1, 2, 3]);
  const spoilt = Array.from({ length: wrong }).reduce<unknown>((given) => spoil(given, draw), value);
  headers['content-type'] = 'application/json';
  const text = writeJson(spoilt);
  return draw.once(4) ? breakBody(text, draw) : Buffer.from(text);
}

function jsonBody(value: unknown, headers: OutgoingHttpHeaders): Buffer {
  headers['content-type'] = 'application/json';
  return Buffer.from(writeJson(value));
}

/** Puts a hostile value somewhere into a value. */
function spoil(value: unknown, draw: Draw): unknown {
  if (Array.isArray(value) && value.length > 0 && !draw.once(4)) {
    const at = draw.number(0, value.length - 1);
    return value.map((each, index) => (index === at ? spoil(each, draw) : each));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !draw.once(12)) {
    const keys = Object.keys(value);
    if (keys.length === 0 || draw.once(10))
      return { ...value, [draw.oneOf(['role', 'id', 'user_id', 'x', ''])]: hostileValue(draw) };
    const key = draw.oneOf(keys);
    if (draw.once(8)) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    return { ...value, [key]: spoil((value as Record<string, unknown>)[key], draw) };
  }
  return hostileValue(draw);
}

/** A value that a schema accepts, as far as the document says. */
function sampleOf(schema: JsonSchema, name: string, known: Known, draw: Draw): unknown {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return sampleOf(draw.oneOf(choices), name, known, draw);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return draw.oneOf(schema.enum);
  const texts = known.texts[name];
  if (texts && schema.type !== 'object' && schema.type !== 'array' && !draw.once(6)) return draw.oneOf(texts);
  if (schema.type === 'object') {
    const fields = Object.entries(schema.properties ?? {}).filter(
      ([field]) => schema.required?.includes(field) || !draw.once(3),
    );
    return Object.fromEntries(fields.map(([field, inner]) => [field, sampleOf(inner, field, known, draw)]));
  }
  if (schema.type === 'array') {
    return Array.from({ length: draw.number(0, 3) }, () => sampleOf(schema.items ?? {}, name, known, draw));
  }
  if (schema.type === 'boolean') return draw.once(2);
  if (schema.type === 'integer' || schema.type === 'number') return numberOf(schema, draw);
  if (schema.type === 'null') return null;
  if (/id$/i.test(name) || schema.format === 'uuid') return draw.oneOf(known.ids);
  return draw.once(2) ? hostileText(draw) : draw.oneOf(['x', 'تهران', '2026-11-23', 'a@b.ir', '123456', '1']);
}

function numberOf({ minimum = -10, maximum = 2 ** 53 - 1 }: JsonSchema, draw: Draw): number {
  return draw.oneOf([
    minimum,
    maximum,
    Math.min(maximum, minimum + 1),
    Math.min(maximum, Math.max(minimum, 50_000)),
    minimum - 1,
  ]);
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A form with a file: of every kind, and of forms that are none. */
function makeForm(field: string, draw: Draw, headers: OutgoingHttpHeaders): Buffer {
  const boundary = draw.oneOf(['x', '----a', 'a'.repeat(200), '']);
  headers['content-type'] = `multipart/form-data; boundary=${boundary}`;
  const pixel = Buffer.from(PIXEL, 'base64');
  const vast = Buffer.from(pixel);
  // Says that it is 2³¹ − 1 pixels wide and high.
  vast.writeUInt32BE(0x7fffffff, 16);
  vast.writeUInt32BE(0x7fffffff, 20);
  const file = draw.oneOf([
    ...[pixel, vast, pixel.subarray(0, 40), Buffer.alloc(0), Buffer.alloc(3_000_000), Buffer.from(draw.text())],
    ...[
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="x"/>'),
      Buffer.from('GIF89a\xff\xff\xff\xff', 'latin1'),
    ],
    ...[Buffer.from('ffd8ffe000104a464946', 'hex'), Buffer.from('RIFF\xff\xff\xff\xffWEBPVP8X', 'latin1')],
  ]);
  const name = draw.oneOf([field, 'other', '', '__proto__']);
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="${draw.oneOf(['a.png', '../a', '\0', '"'])}"\r\n`;
  const type = draw.oneOf(['content-type: image/png\r\n', 'content-type: image/svg+xml\r\n', '', ':\r\n']);
  const end = draw.oneOf([`\r\n--${boundary}--\r\n`, `\r\n--${boundary}\r\n`, '', '--']);
  return Buffer.concat([Buffer.from(`${head}${type}\r\n`), file, Buffer.from(end)]);
}
