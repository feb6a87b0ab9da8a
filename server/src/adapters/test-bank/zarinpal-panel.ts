import type { FastifyInstance } from 'fastify';
import { type BankAnswer, type BankDeps, serveCall } from './serve.ts';
import { addRefunded, findSession, findSessionByReference } from './sessions.ts';

/** The test panel's keys, for adapters that talk to the test bank. */
export const TEST_PANEL = { accessToken: 'test-panel-token', terminalId: '1' } as const;

/** The two GraphQL calls of Zarinpal's panel that refunds need: AddRefund and Session. */
export function zarinpalPanel(app: FastifyInstance, deps: BankDeps): void {
  serveCall(app, deps, 'zarinpal', '/api/v4/graphql/', 'panel', async (fields, request) => {
    if (request.headers.authorization !== `Bearer ${TEST_PANEL.accessToken}`)
      return { status: 401, body: { message: 'Unauthenticated.' } };
    const variables = (fields.variables ?? {}) as Record<string, unknown>;
    if (String(fields.query).includes('AddRefund(')) return await addRefund(deps, variables);
    return await listSessions(deps, variables);
  });
}

async function addRefund(deps: BankDeps, variables: Record<string, unknown>): Promise<BankAnswer> {
  const rial = Number(variables.amount);
  const session = await findSession(deps.db, 'zarinpal', String(variables.session_id));
  if (!session || !Number.isSafeInteger(rial) || rial < 20_000)
    return refused('The amount or the session is not valid.');
  if (!(await addRefunded(deps.db, session.reference, BigInt(rial)))) return refused('The session cannot be refunded.');
  const refund_time = deps.clock.now().toISOString();
  return data({
    resource: {
      terminal_id: TEST_PANEL.terminalId,
      id: session.reference.slice(-12),
      amount: rial,
      timeline: [{ refund_amount: rial, refund_time, refund_status: 'PENDING' }],
    },
  });
}

/** In the test panel a session's number is its `authority`. */
async function listSessions(deps: BankDeps, variables: Record<string, unknown>): Promise<BankAnswer> {
  const session = await findSessionByReference(deps.db, 'zarinpal', variables.reference_id);
  const state = session?.refunded_rial ? 'REFUNDED' : session?.state;
  // A partly refunded session can be refunded further, so it counts as verified too.
  const shown = session && (state === variables.filter || session.state === variables.filter);
  return data({
    Session: shown
      ? [
          {
            id: session.reference,
            status: state,
            amount: Number(session.amount_rial),
            description: '',
            created_at: session.created_at,
          },
        ]
      : [],
  });
}

function data(body: object): BankAnswer {
  return { status: 200, body: { data: body } };
}

function refused(message: string): BankAnswer {
  return { status: 200, body: { data: null, errors: [{ message }] } };
}
