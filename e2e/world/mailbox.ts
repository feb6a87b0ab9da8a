import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { until } from './processes.ts';

/** Where the product's mail arrives: its own outbox directory, or a real SMTP server. */
export interface Mailbox {
  /** What SMTP_URL must be; undefined for the outbox. */
  readonly smtpUrl: string | undefined;
  /** All mail to an address, oldest first. */
  mailTo(address: string): Promise<Email[]>;
  close(): Promise<void>;
}

export function outboxMailbox(dataDir: string): Mailbox {
  const directory = join(dataDir, 'outbox');
  return {
    smtpUrl: undefined,
    mailTo: async (address) => {
      const names = readdirSync(directory).filter((name) => name.endsWith('.eml'));
      const mails = await Promise.all(
        names.sort().map((name) => PostalMime.parse(readFileSync(join(directory, name)))),
      );
      return mails.filter((mail) => mail.to?.some((to) => to.address === address));
    },
    close: async () => {},
  };
}

/** The newest six-digit code sent to a number by the built-in simulator, once there are more than `after` messages. */
export function waitForTextCode(dataDir: string, phone: string, after = 0): Promise<string> {
  const directory = join(dataDir, 'outbox');
  return until(`a text message to ${phone}`, async () => {
    const names = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.sms')) : [];
    const texts = names.sort().map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')));
    const mine = texts.filter(({ to }: { to: string }) => to === phone) as { text: string }[];
    return mine.length > after ? /\d{6}/.exec(mine.at(-1)?.text ?? '')?.[0] : undefined;
  });
}

export async function smtpMailbox(): Promise<Mailbox> {
  const received: { to: string[]; mail: Email }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        void PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          received.push({ to: session.envelope.rcptTo.map((recipient) => recipient.address), mail });
          callback();
        });
      });
    },
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.server.address();
  return {
    smtpUrl: `smtp://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    mailTo: async (to) => received.filter((entry) => entry.to.includes(to)).map((entry) => entry.mail),
    close: () => new Promise<void>((done) => server.close(() => done())),
  };
}

/** The newest six-digit code mailed to an address, once there are more than `after` mails. */
export function waitForCode(mailbox: Mailbox, address: string, after = 0): Promise<string> {
  return until(`a code for ${address}`, async () => {
    const mails = await mailbox.mailTo(address);
    if (mails.length <= after) return undefined;
    return /\b(\d{6})\b/.exec(mails.at(-1)?.text ?? '')?.[1];
  });
}
