import { staffLimits } from '@raha/contract/admin/limits.ts';
import { type TokenScope, tokenScopes } from '@raha/contract/admin/tokens.ts';
import { createToken, listTokens, revokeToken } from '../modules/staff/tokens.ts';
import { actor, type Commands, type Context, idOf, type Result, text, UsageError, wholeNumber } from './context.ts';
import { addressOf, inWords, memberOf } from './staff-commands.ts';

/** Tokens by which programs of the operator make calls of the console. */
export const tokenCommands: Commands = {
  'tokens create': {
    usage: `--email … --name … --scopes ${tokenScopes.slice(0, 2).join(',')},… --days …`,
    flags: ['email', 'name', 'scopes', 'days'],
    run: create,
  },
  'tokens list': { usage: '', run: list },
  'tokens revoke': { usage: '--id … --reason …', flags: ['id', 'reason'], run: revoke },
};

async function create(context: Context): Promise<Result> {
  const { flags } = context;
  const userId = await memberOf(context, addressOf(context));
  const days = wholeNumber(flags, 'days', 1, staffLimits.tokens.daysMost);
  const name = text(flags, 'name').slice(0, staffLimits.tokens.nameMost);
  const scopes = scopesOf(text(flags, 'scopes'));
  const { id, token } = await inWords(() => createToken(context, { actor, userId, name, scopes, days }));
  return { data: { id, token }, lines: [token, `It is shown this once. It ends in ${days} days; its id is ${id}.`] };
}

async function list({ db, clock }: Context): Promise<Result> {
  const tokens = await listTokens(db, clock.now());
  const head = ['id', 'name', 'member', 'scopes', 'expires', 'used', 'state'];
  const rows = tokens.map(({ id, name, member, scopes, expires_at, last_used_at, revoked_at }) => [
    ...[id, name, member, scopes.join(','), expires_at, last_used_at ?? 'never'],
    revoked_at ? 'revoked' : Date.parse(expires_at) <= clock.now().getTime() ? 'expired' : 'works',
  ]);
  return {
    data: tokens,
    lines: rows.length > 0 ? rows.map((row) => row.join('  ')) : ['There is no token.'],
    table: { head, rows },
  };
}

async function revoke(context: Context): Promise<Result> {
  const id = idOf(context.flags);
  await inWords(() => revokeToken(context, { actor, id, reason: text(context.flags, 'reason') }));
  return { data: { id }, lines: [`${id} opens nothing any more.`] };
}

function scopesOf(words: string): TokenScope[] {
  return words.split(',').map((word) => {
    const scope = tokenScopes.find((known) => known === word.trim());
    if (!scope) throw new UsageError(`--scopes takes some of ${tokenScopes.join(',')}.`);
    return scope;
  });
}
