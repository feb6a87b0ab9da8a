import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import PostalMime from 'postal-mime';

/** `/dev/outbox`: what was "sent" on a machine without a mail server. Mounted only where that is allowed. */
const STYLE = `:root{color-scheme:light dark}body{margin:0 auto;max-width:44rem;padding:32px 20px;font-family:Vazirmatn,Tahoma,sans-serif;line-height:1.85}article{border:1px solid #8885;border-radius:20px;padding:20px;margin:0 0 20px}h1{font-size:1.375rem}h2{font-size:1rem;margin:0}small{color:GrayText}pre{white-space:pre-wrap;font:inherit}`;
const HASH = createHash('sha256').update(STYLE).digest('base64');

export async function outboxPage(app: FastifyInstance, options: { directory: string }): Promise<void> {
  app.get('/dev/outbox', async (request, reply) => {
    const mails = await readOutbox(options.directory);
    const texts = await readTexts(options.directory);
    if (request.headers.accept?.includes('application/json'))
      return reply.header('cache-control', 'no-store').send({ mails, texts });
    const shown = [...mails, ...texts.map((text) => ({ ...text, subject: 'پیامک' }))];
    const items = shown
      .sort((a, b) => Date.parse(b.date) - Date.parse(a.date))
      .map(
        (mail) =>
          `<article><h2>${escapeHtml(mail.subject)}</h2><small><bdi dir="ltr">${escapeHtml(mail.to)}</bdi> · <time>${escapeHtml(mail.date)}</time></small><pre>${escapeHtml(mail.text)}</pre></article>`,
      )
      .join('');
    return reply
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'sha256-${HASH}'; base-uri 'none'; frame-ancestors 'none'`,
      )
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(
        `<!doctype html><html lang="fa" dir="rtl"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>صندوق خروجی</title><style>${STYLE}</style></head><body><main><h1>صندوق خروجی آزمایشی</h1><p>نامه‌ها و پیامک‌هایی که این دستگاه نمی‌تواند بفرستد، این‌جا دیده می‌شوند.</p>${items || '<p>هنوز چیزی نیست.</p>'}</main></body></html>`,
      );
  });
}

interface OutboxMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly date: string;
}

/** Newest first, at most fifty. File names are UUIDv7, so that their order is the order of sending. */
async function readOutbox(directory: string): Promise<OutboxMail[]> {
  const files = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.eml')).sort();
  const newest = files.reverse().slice(0, 50);
  return await Promise.all(
    newest.map(async (name) => {
      const mail = await PostalMime.parse(await readFile(join(directory, name)));
      return {
        to: mail.to?.map((address) => address.address).join(', ') ?? '',
        subject: mail.subject ?? '',
        text: mail.text ?? '',
        date: mail.date ?? '',
      };
    }),
  );
}

/** Text messages, newest first. */
async function readTexts(directory: string): Promise<{ to: string; text: string; date: string }[]> {
  const files = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.sms')).sort();
  return await Promise.all(
    files
      .reverse()
      .slice(0, 50)
      .map(async (name) => JSON.parse(await readFile(join(directory, name), 'utf8'))),
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
