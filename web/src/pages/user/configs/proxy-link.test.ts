import { createHash } from 'node:crypto';
import { proxyIdOf, proxyIdSource } from '@raha/contract/proxy-id.ts';
import { expect, test } from 'vitest';
import { proxyLink } from './proxy-link.ts';

const key = [
  '-----BEGIN OpenVPN tls-crypt-v2 client key-----',
  'QUJD',
  'REVG',
  '-----END OpenVPN tls-crypt-v2 client key-----',
];
const file = (lines: readonly string[]) => ['client', '<tls-crypt-v2>', ...lines, '</tls-crypt-v2>', ''].join('\n');

test('the link names the website, its path and the credential that the server makes of the same key', async () => {
  const id = proxyIdOf(
    createHash('sha256')
      .update(proxyIdSource(key.join('\n')))
      .digest(),
  );
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(await proxyLink(file(key), 'https://www.example.org/news/live', 'لپ تاپ')).toBe(
    `vless://${id}@www.example.org:443?encryption=none&security=tls&sni=www.example.org&type=ws&host=www.example.org&path=%2Fnews%2Flive#%D9%84%D9%BE%20%D8%AA%D8%A7%D9%BE`,
  );
  expect(await proxyLink(file(key), 'https://www.example.org:8443/a', 'x')).toContain('@www.example.org:8443?');
});

test('how the lines of the key are broken does not matter, another key does', async () => {
  const link = (lines: readonly string[]) => proxyLink(file(lines), 'https://www.example.org/a', 'x');
  const [begin = '', , , end = ''] = key;
  expect(await link([begin, 'QUJDREVG\r', end])).toBe(await link(key));
  expect(await link([begin, 'QUJDREVH', end])).not.toBe(await link(key));
});

test('a file without such a key makes no link', async () => {
  expect(await proxyLink('client\n', 'https://www.example.org/a', 'x')).toBeUndefined();
});
