import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanPhone } from '@raha/contract/persian.ts';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/random.ts';

/**
 * A local Kavenegar for machines without a key: it speaks the same protocol and stores each message as a file in the
 * outbox, shown at `/dev/outbox`. Never mounted in production, unless DEMO is on.
 */
export const TEST_SMS_PATH = '/test-sms';
export const TEST_SMS_KEY = 'test-sms';

/** Templates as the provider would approve them. */
const templates: Readonly<Record<string, string>> = {
  'raha-code': 'کد تأیید شما: %token',
  'raha-low-balance': 'موجودی شما رو به پایان است: %token تومان. برای قطع نشدن سرویس، کیف پول را شارژ کنید.',
  'raha-service-cut': 'موجودی شما تمام شد و سرویس قطع است. برای وصل شدن، کیف پول را در %token شارژ کنید.',
};

export interface KeptText {
  readonly to: string;
  readonly text: string;
  readonly date: string;
}

export async function testSms(app: FastifyInstance, deps: { clock: Clock; directory: string }): Promise<void> {
  app.post('/v1/:key/verify/lookup.json', { config: { acceptsForms: true } }, async (request, reply) => {
    const { key } = request.params as { key: string };
    const { receptor = '', template = '', token = '' } = (request.body ?? {}) as Record<string, string>;
    const refuse = (status: number, message: string) =>
      reply.code(status).send({ return: { status, message }, entries: null });
    if (key !== TEST_SMS_KEY) return refuse(403, 'کد شناسائی API-Key معتبر نمی‌باشد');
    if (!receptor || !template || !token) return refuse(406, 'پارامترهای اجباری خالی ارسال شده اند');
    if (!/^09\d{9}$/.test(cleanPhone(receptor))) return refuse(411, 'دریافت کننده نامعتبر است');
    if (/\s/.test(token)) return refuse(431, 'ساختار کد صحیح نمی‌باشد');
    const words = templates[template];
    if (!words) return refuse(424, 'الگوی مورد نظر پیدا نشد');
    const now = deps.clock.now();
    const text = words.replace('%token', token);
    await keep(deps.directory, newId(now), { to: receptor, text, date: now.toISOString() });
    const entry = { messageid: now.getTime(), message: text, status: 5, statustext: 'ارسال به مخابرات' };
    const sender = { sender: '10004346', receptor, date: Math.floor(now.getTime() / 1000), cost: 120 };
    return reply.send({ return: { status: 200, message: 'تایید شد' }, entries: [{ ...entry, ...sender }] });
  });
}

async function keep(directory: string, id: string, message: KeptText): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, `${id}.sms`);
  await writeFile(`${file}.part`, JSON.stringify(message), { mode: 0o600 });
  await chmod(`${file}.part`, 0o600);
  await rename(`${file}.part`, file);
}
