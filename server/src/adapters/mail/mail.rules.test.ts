import { createServer } from 'node:net';
import { createTransport } from 'nodemailer';
import { expect, test } from 'vitest';
import { requireTls } from './mail.ts';

test.each([
  ['smtp://user:pass@mail.example:587', true],
  ['smtp://mail.example?name=raha', true],
  ['smtps://mail.example:465', false],
  ['smtp://127.0.0.1:1025', false],
  ['smtp://localhost:25', false],
])('S11 %s: STARTTLS is required: %s', (url, isRequired) => {
  expect(new URL(requireTls(url)).searchParams.get('requireTLS') === 'true').toBe(isRequired);
});

test('S11 a mail server that offers no TLS gets neither password nor mail', async () => {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.write('220 mail.example\r\n');
    socket.on('data', (data) => {
      heard.push(data.toString());
      socket.write(/^EHLO/.test(data.toString()) ? '250-mail.example\r\n250 AUTH PLAIN\r\n' : '502 no\r\n');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  // The name of another machine, at an address of this one.
  const options = requireTls('smtp://user:secret@mail.example').replace('mail.example', `127.0.0.1:${port}`);
  const mail = { from: 'a@raha.example', to: 'b@mail.example', subject: 'code', text: '123456' };
  await expect(createTransport(options).sendMail(mail)).rejects.toThrow();
  server.close();
  expect(heard.join('')).not.toMatch(/AUTH|MAIL FROM|123456/);
});
