import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { createLog } from '../log.ts';
import { createHttp } from './create-http.ts';

test('a connection on which nothing was requested does not hold up the end of the server', async () => {
  const app = await createHttp({
    publicUrl: 'http://127.0.0.1:3000',
    log: createLog('silent'),
    clock: systemClock,
    trustedProxies: ['loopback'],
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  const ended = once(socket, 'close');
  await once(app.server, 'connection');
  await app.close();
  await ended;
  expect(socket.destroyed).toBe(true);
});
