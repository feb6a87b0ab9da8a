import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { connect } from 'node:net';

/**
 * The operator's web server on a node, as docs/operations.md describes it: whatever asks for one path with an `Upgrade` is handed on to the proxy's socket,
 * and all else sees a website. Arguments: key, certificate, path, socket.
 */
const [key = '', certificate = '', path, socketPath = ''] = process.argv.slice(2);

const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
  const isThere = request.url === '/';
  response.writeHead(isThere ? 200 : 404, { 'content-type': 'text/html' });
  response.end(isThere ? '<h1>Tea and carpets</h1>' : '<h1>Not found</h1>');
});
server.on('upgrade', (request, device, head) => {
  if (request.url !== path) {
    device.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    return;
  }
  const engine = connect(socketPath);
  const headers = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2)
    headers.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
  engine.write(`${request.method} ${request.url} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  engine.write(head);
  for (const [one, other] of [
    [device, engine],
    [engine, device],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
    one.pipe(other);
  }
});
server.listen(443, '0.0.0.0', () => console.log('the website is up'));
