import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request as ask } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { freePort } from '../../server/test/free-port.ts';

/** A proxy that speaks TLS and HTTP/2 to browsers and HTTP/1.1 to the product, as Caddy does in front of an installation. */
export interface TlsFront {
  readonly url: string;
  close(): void;
}

/** The headers of one hop, which HTTP/2 does not know (RFC 9113, section 8.2.2). */
const ONE_HOP = ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'];

/** The product's `port`, and a directory for a certificate of the front's own, which this process trusts from now on. */
export async function startTlsFront(port: number, directory: string): Promise<TlsFront> {
  const [key, certificate] = [join(directory, 'front.key'), join(directory, 'front.crt')];
  const name = ['-subj', '/CN=front', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1', ...name];
  execFileSync('openssl', ['req', '-x509', ...options, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const identity = { key: readFileSync(key), cert: readFileSync(certificate, 'utf8') };
  setDefaultCACertificates([...getCACertificates(), identity.cert]);
  const server = createSecureServer({ ...identity, allowHTTP1: true }, (incoming, outgoing) => {
    forward(port, incoming, outgoing);
  });
  const own = await freePort();
  await new Promise<void>((done) => server.listen(own, '127.0.0.1', done));
  return { url: `https://127.0.0.1:${own}`, close: () => server.close() };
}

function forward(port: number, incoming: Http2ServerRequest, outgoing: Http2ServerResponse): void {
  const { method, url: path, authority } = incoming;
  const named = Object.entries(incoming.headers).filter(([name]) => !name.startsWith(':'));
  const headers = { ...Object.fromEntries(named), host: authority ?? incoming.headers.host };
  const onward = ask({ port, host: '127.0.0.1', method, path, headers, agent: false }, (answer) => {
    const kept = Object.entries(answer.headers).filter(([name]) => !ONE_HOP.includes(name));
    outgoing.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept));
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.stream.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}
