import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { newBytes } from '../../platform/random.ts';
import type { BankCall, BankFault, BankFaults } from './faults.ts';
import { testBankPage, testBankPolicy } from './page.ts';
import { type BankSession, findSession, settleAtBank } from './sessions.ts';

/** Shared parts of the test banks: calls that can fail on request, and the payer's page. */
export interface BankDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly faults: BankFaults;
  readonly publicOrigin: string;
}

export interface BankAnswer {
  readonly status: number;
  readonly body: object | string;
}
export type BankFields = Readonly<Record<string, unknown>>;

/** Serves one call of a bank's protocol, with the fault planned for it, if any. */
export function serveCall(
  app: FastifyInstance,
  deps: BankDeps,
  gateway: GatewayName,
  path: string,
  callOf: BankCall | ((fields: BankFields) => BankCall),
  answer: (fields: BankFields, request: FastifyRequest) => Promise<BankAnswer>,
): void {
  app.post(path, { config: { acceptsForms: true } }, async (request, reply) => {
    const fields = (request.body ?? {}) as BankFields;
    const fault = deps.faults.take(gateway, typeof callOf === 'string' ? callOf : callOf(fields));
    if (fault && fault !== 'cut-after') return misbehave(request, reply, fault);
    const { status, body } = await answer(fields, request);
    if (fault) return misbehave(request, reply, 'cut');
    return reply.code(status).send(body);
  });
}

function misbehave(request: FastifyRequest, reply: FastifyReply, fault: BankFault): FastifyReply {
  if (fault === 'html-502') return reply.code(502).type('text/html').send('<html><body>502 Bad Gateway</body></html>');
  if (fault === 'error-500') return reply.code(500).send('');
  if (fault === 'garbage') return reply.type('text/html').send('<html>در حال به‌روزرسانی</html>');
  if (fault === 'huge') return reply.send({ data: 'x'.repeat(10_000_000) });
  if (fault === 'redirect') return reply.redirect(`${request.url}?again`, 307);
  reply.hijack();
  if (fault === 'cut') request.raw.socket.destroy();
  return reply;
}

export interface PayerPage {
  readonly gateway: GatewayName;
  readonly title: string;
  /** Contains `:authority`. */
  readonly path: string;
  /** The parameters that the browser brings back to the merchant. */
  readonly bringBack: (session: BankSession) => Record<string, string>;
}

/** The payer's page with its two buttons; paying twice or paying after cancelling changes nothing. */
export function servePayerPage(app: FastifyInstance, deps: BankDeps, page: PayerPage): void {
  app.get<{ Params: { authority: string } }>(page.path, async (request, reply) => {
    const session = await findSession(deps.db, page.gateway, request.params.authority);
    reply.header('content-security-policy', testBankPolicy(deps.publicOrigin)).type('text/html; charset=utf-8');
    if (!session) return reply.code(404).send(testBankPage(undefined));
    const path = request.url.split('?')[0] as string;
    const { reference: authority, amount_rial, state } = session;
    return reply.send(
      testBankPage({
        authority,
        amountRial: Number(amount_rial),
        open: state === 'IN_BANK',
        gateway: page.title,
        path,
      }),
    );
  });
  for (const [action, state] of [
    ['pay', 'PAID'],
    ['cancel', 'FAILED'],
  ] as const) {
    const config = { acceptsForms: true };
    app.post<{ Params: { authority: string } }>(`${page.path}/${action}`, { config }, async (request, reply) => {
      await settleAtBank(deps.db, request.params.authority, state, deps.clock.now());
      const session = await findSession(deps.db, page.gateway, request.params.authority);
      if (!session) return reply.code(404).type('text/html; charset=utf-8').send(testBankPage(undefined));
      const url = new URL(session.callback_url);
      for (const [name, value] of Object.entries(page.bringBack(session))) url.searchParams.set(name, value);
      return reply.redirect(url.href, 303);
    });
  }
}

/** A reference number of ten to twelve digits, as banks issue them. */
export function newReference(): string {
  return String(newBytes(5).readUIntBE(0, 5) + 10_000_000_000);
}
