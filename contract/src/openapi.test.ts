import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { errors, sentenceOf } from './errors.ts';
import { fieldErrors } from './field-errors.ts';
import { nodeEndpoints } from './node/protocol.ts';
import { openapi, publicAccess } from './openapi.ts';
import { publicEndpoints } from './public/table.ts';

test('the OpenAPI document is valid 3.1 and has every call with its aliases', async () => {
  for (const table of [publicEndpoints, nodeEndpoints]) {
    const document = openapi(table, { title: 'Raha', version: '1', server: '/api/v1' }, publicAccess);
    expect(document.openapi).toBe('3.1.0');
    expect(await new Validator().validate(document)).toMatchObject({ valid: true });
    for (const endpoint of Object.values(table)) {
      const paths = [endpoint.path, ...(('aliases' in endpoint ? endpoint.aliases : undefined) ?? [])];
      for (const path of paths) expect(document.paths).toHaveProperty([path, endpoint.method.toLowerCase()]);
    }
  }
});

test('every refusal has a Persian and an English sentence, and its details are filled in', () => {
  for (const entry of [...Object.values(errors), ...Object.values(fieldErrors)]) {
    expect(entry.fa).toMatch(/[\u0600-\u06ff]/);
    expect(entry.en).toMatch(/^[A-Z“]/);
    expect(entry.fa.match(/\{\w+\}/g) ?? []).toEqual(entry.en.match(/\{\w+\}/g) ?? []);
  }
  expect(sentenceOf('code_too_soon', 'fa', { seconds: 42 })).toContain('۴۲ ثانیه');
  expect(sentenceOf('code_too_soon', 'en', { seconds: 42 })).toContain('42 seconds');
});
