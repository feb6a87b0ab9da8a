import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';

test('an error is logged without addresses and without what hangs on it', () => {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const refused = Object.assign(new Error('550 5.1.1 <leila@mail.example>: no such user'), {
    code: 'EENVELOPE',
    rejected: ['leila@mail.example'],
    client: { password: 'secret' },
  });
  createLog('info', destination).error({ err: new Error('not sent', { cause: refused }) }, 'a mail was refused');
  const text = lines.join('');
  expect(text).not.toContain('leila');
  expect(text).not.toContain('secret');
  expect(JSON.parse(text)).toMatchObject({
    err: {
      type: 'Error',
      message: 'not sent',
      cause: { code: 'EENVELOPE', message: '550 5.1.1 <[address]>: no such user' },
    },
  });
});
