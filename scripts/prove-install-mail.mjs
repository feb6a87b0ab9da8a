import { appendFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A mail server for prove-install.mjs: `node prove-install-mail.mjs PORT FILE` appends what it is sent to the file. */
const [port, file] = process.argv.slice(2);
const { SMTPServer } = createRequire(new URL('../server/package.json', import.meta.url))('smtp-server');
writeFileSync(file, '');
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, _session, done) {
    stream.on('data', (chunk) => appendFileSync(file, chunk)).on('end', () => done());
  },
});
server.listen(Number(port), '127.0.0.1');
