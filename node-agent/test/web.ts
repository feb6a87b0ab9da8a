import { createServer } from 'node:http';
import { serveNames } from './names.ts';
import { PANEL4, PANEL6, WEB4, WEB6 } from './network.ts';

/** The test internet's web and DNS server: `/` returns the caller's address, `/blob?n=` n bytes, `/sink` how
 * many it was sent. Run inside a namespace. */
const block = Buffer.alloc(256 * 1024, 'x');

serveNames(WEB4, (name, family) => {
  if (name === 'panel.example') return family === 4 ? PANEL4 : PANEL6;
  return family === 4 ? WEB4 : WEB6;
});

createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://web');
  if (url.pathname === '/sink') {
    let received = 0;
    request.on('data', (part: Buffer) => {
      received += part.length;
    });
    request.on('end', () => response.end(String(received)));
    return;
  }
  if (url.pathname !== '/blob') {
    response.end(request.socket.remoteAddress?.replace(/^::ffff:/, ''));
    return;
  }
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
}).listen(80, '::', () => console.log('up'));
