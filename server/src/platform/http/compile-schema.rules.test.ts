import { adminEndpoints } from '@raha/contract/admin/table.ts';
import type { AnyEndpoint, Schema } from '@raha/contract/endpoint.ts';
import { nodeEndpoints } from '@raha/contract/node/protocol.ts';
import { publicEndpoints } from '@raha/contract/public/table.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { compileSchema } from './compile-schema.ts';

const part = () => z.object({ a: z.optional(z.number()), b: z.nullable(z.string().check(z.minLength(1, 'required'))) });
const makeSchema = () =>
  z.object({
    part: part(),
    strict: z.optional(z.strictObject({ a: z.number(), c: z.optional(part()) })),
    loose: z.optional(z.looseObject({ a: z.number() })),
    list: z.array(z.union([part(), z.string()])),
    kind: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('x'), a: z.number() }),
      z.object({
        kind: z.literal('y'),
        b: z.pipe(
          z.string(),
          z.transform((text) => text.length),
        ),
      }),
    ]),
    checked: z.object({ a: z.number(), b: z.number() }).check(z.refine(({ a, b }) => a <= b, 'order')),
    byName: z.record(z.string(), part()),
    absent: z._default(z.object({ a: z.number() }), { a: 1 }),
  });

test('a compiled schema accepts, strips and refuses as before, with the same words', () => {
  const plain = makeSchema();
  const compiled = makeSchema();
  compileSchema(compiled);
  const anything = fc.oneof(fc.constantFrom(undefined, null, '', 'x', 'y', 0, 1), fc.jsonValue({ maxDepth: 2 }));
  const object = fc.record({ a: fc.oneof(fc.integer(), anything), b: anything, c: anything }, { requiredKeys: [] });
  const rough = fc.oneof({ weight: 4, arbitrary: object }, anything);
  const good = fc.record({ a: fc.integer(), b: fc.string({ minLength: 1 }) });
  const kind = fc.oneof(
    fc.record({ kind: fc.constantFrom('x', 'y', 'z'), a: fc.integer(), b: fc.string() }, { requiredKeys: ['kind'] }),
    anything,
  );
  const value = fc.record(
    {
      part: fc.oneof(good, rough),
      strict: rough,
      loose: rough,
      list: fc.oneof(fc.array(fc.oneof(good, fc.string(), rough), { maxLength: 3 }), anything),
      kind,
      checked: fc.oneof(fc.record({ a: fc.integer(), b: fc.integer() }), rough),
      byName: fc.oneof(fc.dictionary(fc.string(), fc.oneof(good, rough), { maxKeys: 3 }), anything),
      absent: rough,
      unknown: anything,
    },
    { requiredKeys: ['part', 'list', 'kind', 'checked', 'byName'] },
  );
  const whole = { part: { b: 'b' }, list: [], kind: { kind: 'y', b: 'b' }, checked: { a: 1, b: 2 }, byName: {} };
  expect(z.safeParse(compiled, { ...whole, unknown: 1 })).toEqual(z.safeParse(plain, { ...whole, unknown: 1 }));
  fc.assert(
    fc.property(fc.oneof(value, anything), (input) => {
      const [before, after] = [z.safeParse(plain, input), z.safeParse(compiled, input)];
      expect([after.success, after.data, after.error?.issues]).toEqual([
        before.success,
        before.data,
        before.error?.issues,
      ]);
    }),
    { numRuns: 2_000 },
  );
});

test('no object in a call of the product is left out', () => {
  const endpoints: AnyEndpoint[] = [publicEndpoints, nodeEndpoints, adminEndpoints].flatMap((table) =>
    Object.values<AnyEndpoint>(table),
  );
  const schemas = endpoints.flatMap(({ params, query, body, response }) => [params, query, body, response]);
  for (const schema of schemas) compileSchema(schema);
  const seen = new Set<unknown>();
  for (const schema of schemas) collect(schema, seen);
  const objects = [...seen].filter(isSchema).filter(({ _zod: { def } }) => def.type === 'object');
  expect(objects.length).toBeGreaterThan(300);
  expect(objects.filter(({ _zod: { traits } }) => !traits.has('$ZodObjectJIT'))).toEqual([]);
});

type Inner = Schema & { _zod: { def: { type: string }; traits: Set<string> } };

const isSchema = (value: unknown): value is Inner => typeof value === 'object' && value !== null && '_zod' in value;

/** Every value that is reachable, whatever the library calls the way to it. */
function collect(value: unknown, seen: Set<unknown>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const inner of Object.values(isSchema(value) ? value._zod.def : value)) collect(inner, seen);
}
