import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { bytes, id, instant, pagination, paging, toman, wrapped } from '../shapes.ts';
import { walletTransaction } from './wallet.ts';

/** `30d`, or everything there is. */
const statementPeriod = z._default(z.string('invalid').check(z.regex(/^([1-9]\d{0,2}d|all)$/, 'invalid')), 'all');

/** The source that paid for bytes: the wallet, a plan's allowance, or none during a trial. */
export const coverings = ['wallet', 'plan', 'trial'] as const;

/** A stretch of one config's bytes on one day that had one price. */
export const statementPart = z.object({
  bytes,
  /** Toman per GB (10⁹ bytes); null when bytes counted beyond a lease give the day a mixed price. */
  price_per_gb: z.nullable(z.number()),
  covered_by: z.enum(coverings),
  amount: toman,
});

export const statementConfig = z.object({
  config_id: id,
  name: z.string(),
  /** The name of the guest with whom the config is shared; null: nobody. */
  family: z.nullable(z.string()),
  uploaded: bytes,
  downloaded: bytes,
  /** Toman; the sum of the parts. */
  amount: toman,
  /** The corresponding line of the wallet; null when the day cost nothing. */
  transaction_id: z.nullable(id),
  parts: z.array(statementPart),
});

export const statementDay = z.object({
  /** Of Tehran. */
  day: z.iso.date(),
  bytes,
  /** Toman that went for usage on this day. */
  usage: toman,
  /** Toman that came in, and that went out for anything else than usage. */
  deposits: toman,
  withdrawals: toman,
  configs: z.array(statementConfig),
  /** Other movements of the wallet on this day. */
  movements: z.array(walletTransaction),
});
export type StatementDay = z.output<typeof statementDay>;

/** One movement of the ledger as it concerns one user: free and reserved money together. */
export const ledgerLine = z.object({
  /** Of the transfer in the ledger. */
  id,
  kind: z.string(),
  description: z.string(),
  /** Signed. */
  amount: toman,
  created_at: instant,
});

export const statement = {
  getStatement: defineEndpoint({
    method: 'GET',
    path: '/user/wallet/statement',
    aliases: ['/wallet/statement'],
    caller: 'user',
    summary:
      'The wallet by day, newest first: per config the bytes, their price and what they cost, and what else moved',
    query: z.extend(paging, { period: statementPeriod }),
    response: wrapped(z.object({ days: z.array(statementDay), pagination })),
  }),
  getStatementDay: defineEndpoint({
    method: 'GET',
    path: '/user/wallet/statement/{day}',
    aliases: ['/wallet/statement/{day}'],
    caller: 'user',
    summary: 'The lines of the ledger of one day of Tehran, newest first; usage is booked about once a minute',
    params: z.object({ day: z.iso.date() }),
    query: paging,
    response: wrapped(z.object({ lines: z.array(ledgerLine), sum: toman, pagination })),
  }),
  exportStatement: defineEndpoint({
    method: 'GET',
    path: '/user/wallet/statement.csv',
    aliases: ['/wallet/statement.csv'],
    caller: 'user',
    summary:
      'The statement as a spreadsheet (CSV, UTF-8 with a byte order mark), oldest first, in the language of the caller',
    query: z.object({ period: statementPeriod }),
    produces: 'text/csv',
  }),
};
