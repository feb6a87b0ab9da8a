import { expect, test } from 'vitest';
import { readAnswer } from './answer.ts';

test.each([
  [
    '{"data":{"code":100,"authority":"A1"},"errors":[]}',
    { kind: 'read', code: 100, data: { code: 100, authority: 'A1' } },
  ],
  ['{"data":{"code":"100"},"errors":[]}', { kind: 'read', code: 100, data: { code: '100' } }],
  ['{"data":[],"errors":{"code":-9,"message":"x","validations":[]}}', { kind: 'read', code: -9, data: {} }],
  ['{"data":{},"errors":[{"code":-54,"message":"x"}]}', { kind: 'read', code: -54, data: {} }],
  [
    '{"message":"Invalid authority","errors":{"authority":["Invalid authority.","-54"]}}',
    { kind: 'read', code: -54, data: {} },
  ],
  ['<html>502</html>', { kind: 'unreadable', reason: 'not an object' }],
  ['[]', { kind: 'unreadable', reason: 'not an object' }],
  ['{"data":{},"errors":[]}', { kind: 'unreadable', reason: 'no code' }],
])('%s', (text, answer) => expect(readAnswer(text)).toEqual(answer));

test('a reference number beyond 2^53 is not rounded', () => {
  const answer = readAnswer('{"data":{"code":101,"ref_id":90071992547409931234},"errors":[]}');
  expect(answer.kind === 'read' && answer.data.ref_id).toBe('90071992547409931234');
});
