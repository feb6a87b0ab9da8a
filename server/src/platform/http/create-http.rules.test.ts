import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { createLog } from '../log.ts';
import { createHttp } from './create-http.ts';

test('a request must arrive completely within 30 seconds, its headers included (audit S10)', async () => {
  const app = await createHttp({
    publicUrl: 'http://127.0.0.1:3000',
    log: createLog('silent'),
    clock: systemClock,
    trustedProxies: ['loopback'],
  });
  expect(app.server.requestTimeout).toBe(30_000);
  expect(app.server.headersTimeout).toBeLessThanOrEqual(60_000);
  await app.close();
});
