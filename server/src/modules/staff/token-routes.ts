import { adminEndpoints } from '@raha/contract/admin/table.ts';
import { scopeOf, type tokens } from '@raha/contract/admin/tokens.ts';
import { openapi } from '@raha/contract/openapi.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { version } from '@raha/contract/version.ts';
import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { type AdminHandlers, actorOf } from './admit.ts';
import { createToken, listTokens, revokeToken } from './tokens.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** Tokens for programs, and what these may call. */
export function tokenRoutes(deps: Deps): AdminHandlers<typeof tokens> {
  return {
    async listTokens() {
      return { success: true, data: { tokens: await listTokens(deps.db, deps.clock.now()) } };
    },
    async createToken({ caller, body }) {
      const made = await createToken(deps, { actor: actorOf(caller), userId: caller.userId, ...body });
      return { success: true, data: made };
    },
    async revokeToken({ caller, params, body }) {
      await revokeToken(deps, { actor: actorOf(caller), id: params.id, reason: body.reason });
      return { success: true };
    },
    async describeCalls({ reply }) {
      return reply.header('cache-control', 'no-store').send(describeTokenCalls());
    },
  };
}

/** The OpenAPI document of the calls that tokens open. */
export function describeTokenCalls() {
  const open = Object.entries(adminEndpoints).filter(([, endpoint]) => scopeOf(endpoint) !== undefined);
  return openapi(
    Object.fromEntries(open),
    { title: 'Raha, for programs of the operator', version, server: API_BASE },
    {
      schemes: {
        program: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token made in the console, or by raha tokens create',
        },
      },
      // Which scope the token needs.
      securityOf: (endpoint) => [{ program: [scopeOf(endpoint)] }],
    },
  );
}
