import { expect, test } from 'vitest';
import { runsOf } from './persian-pdf.ts';

const texts = (line: string) => runsOf(line, 'rtl').map(({ text }) => text);

test('numbers with a hyphen are turned round in a right-to-left line, and keep their order in an isolate', () => {
  expect(texts('تلفن: 021-12345678').join('')).toContain('12345678-021');
  expect(texts('تلفن: \u2066021-12345678\u2069')[0]).toBe('021-12345678');
});

test('isolates are not drawn', () => {
  expect(texts('کد \u2066A-1\u2069 و \u2067ب\u2069').join('')).not.toMatch(/[\u2066-\u2069]/);
});
