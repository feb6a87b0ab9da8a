import { createServer } from 'node:http';

/** The web as the client sees it: `/` says who called, `/blob?n=` sends n bytes. Run inside a namespace. */
const block = Buffer.alloc(256 * 1024, 'x');

createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://web');
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
