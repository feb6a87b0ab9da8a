import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';

/** What users do while a machine is being upgraded: calls over TLS through its proxy, which has a certificate of its own. */
const agent = new Agent({ keepAlive: true, maxSockets: 8, rejectUnauthorized: false });
const API = '/api/v1';

function call(site, method, path, { token, body } = {}) {
  return new Promise((done, failed) => {
    const headers = {
      host: site,
      origin: `https://${site}`,
      'accept-language': 'en',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    };
    const sent = request({ agent, host: '127.0.0.1', servername: site, method, path, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => done({ status: answer.statusCode, text })).on('error', failed);
    });
    sent.on('error', failed);
    sent.end(body && JSON.stringify(body));
  });
}

/** Registers with the code that the mail brings. */
export async function signIn(site, email, mails) {
  await call(site, 'POST', `${API}/auth/send-verification-code`, { body: { email } });
  for (let tries = 0; tries < 100; tries += 1) {
    const code = codeIn(readFileSync(mails, 'utf8'), email);
    if (code) {
      const body = { email, fullName: 'Dana Rostami', verificationCode: code };
      const { status, text } = await call(site, 'POST', `${API}/auth/complete-registration`, { body });
      return { status, token: JSON.parse(text).token };
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('No mail with a code came.');
}

function codeIn(mails, email) {
  const mail = mails.slice(Math.max(0, mails.indexOf(`To: ${email}`)));
  const parts = mail
    .split(/base64\s/)
    .slice(1)
    .map((part) => Buffer.from(part.split('--')[0], 'base64').toString());
  return (
    /\b(\d{6})\b/.exec(parts.join(' '))?.[1] ?? /^\D*\b(\d{6})\b/m.exec(mail.split('\r\n\r\n').slice(2).join(' '))?.[1]
  );
}

/** As many requests as wanted in eight lanes, a third of them writes, and a stream beside them that moves over when it ends. */
export function createLoad(site, token, wanted) {
  const counts = { pages: 0, reads: 0, writes: 0, streams: 0 };
  const failures = [];
  const kinds = [
    ['pages', () => call(site, 'GET', '/')],
    ['reads', () => call(site, 'GET', `${API}/auth/me`, { token })],
    ['writes', () => call(site, 'PUT', `${API}/notifications/read-all`, { token })],
  ];
  let begun = 0;
  const one = async () => {
    const [kind, run] = kinds[begun++ % kinds.length];
    const { status } = await run().catch((error) => ({ status: String(error) }));
    counts[kind] += 1;
    if (status !== 200) failures.push(`${kind}: ${status}`);
  };
  const lane = async () => {
    while (begun < wanted) await one();
  };
  let isDone = false;
  const stream = async () => {
    while (!isDone) {
      counts.streams += 1;
      const { status } = await call(site, 'GET', `${API}/realtime`, { token }).catch(() => ({ status: 'broken' }));
      if (status !== 200 && status !== 'broken') failures.push(`stream: ${status}`);
    }
  };
  return {
    counts,
    failures,
    async warm() {
      for (let count = 0; count < 50; count += 1) await one();
    },
    get done() {
      void stream();
      return Promise.all(Array.from({ length: 8 }, lane)).then(() => {
        isDone = true;
        agent.destroy();
      });
    },
  };
}
