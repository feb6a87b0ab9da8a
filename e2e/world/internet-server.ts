import { createServer } from 'node:http';
import { serveNames } from '../../node-agent/test/names.ts';
import { addresses } from './network.ts';

/** Names that this internet resolves: one for the panel, the others for the web. Others, such as the banks', do not exist. */
serveNames(addresses.names4, (name, family) => {
  if (!name.endsWith('.example')) return undefined;
  const host = name === 'panel.example' ? 'panel' : 'web';
  return addresses[`${host}${family}`];
});

/**
 * The web as seen from the client: `/` returns the caller's address, `/blob?n=` n bytes, `/sink` the size of an upload.
 */
const block = Buffer.alloc(256 * 1024, 'x');

createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://internet');
  if (url.pathname === '/blob') {
    let left = Number(url.searchParams.get('n'));
    response.setHeader('content-length', left);
    const more = () => {
      while (left > 0) {
        const part = block.subarray(0, Math.min(left, block.length));
        left -= part.length;
        if (!response.write(part)) {
          response.once('drain', more);
          return;
        }
      }
      response.end();
    };
    more();
    return;
  }
  if (url.pathname === '/sink') {
    let received = 0;
    request.on('data', (data: Buffer) => {
      received += data.length;
    });
    request.on('end', () => response.end(JSON.stringify({ received })));
    return;
  }
  const caller = request.socket.remoteAddress?.replace(/^::ffff:/, '');
  response.end(`${JSON.stringify({ ip: caller })}\n`);
}).listen(80, '::', () => console.log('the internet is up'));
