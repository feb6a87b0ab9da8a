import { listSales, sellBatch, settleSale } from '../modules/gift-cards/sell-batch.ts';
import { actor, type Commands, type Context, idOf, type Result, text, wholeNumber } from './context.ts';

const MOST = 1_000_000_000_000;

/** Gift cards that were sold: to whom, for how much, and what became of it. Amounts are toman. */
export const cardSaleCommands: Commands = {
  'gift-cards sold': {
    usage: '--batch id --to <buyer> --toman <number> --by <name> --reason <why>',
    flags: ['batch', 'to', 'toman', 'by', 'reason'],
    run: sold,
  },
  'gift-cards paid': {
    usage: '--batch id --toman <number> --by <name> --reason <reference of the payment>',
    flags: ['batch', 'toman', 'by', 'reason'],
    run: (context: Context) => settled(context, 'paid'),
  },
  'writeoff cards': {
    usage: '--batch id --toman <number> --by <name> --reason <why>   (what the buyer of a batch will not pay)',
    flags: ['batch', 'toman', 'by', 'reason'],
    run: (context: Context) => settled(context, 'written_off'),
  },
  'report cards': { usage: '', run: report },
};

const given = ({ flags }: Context) => ({
  actor,
  operator: text(flags, 'by'),
  reason: text(flags, 'reason'),
  batchId: idOf(flags, 'batch'),
  toman: BigInt(wholeNumber(flags, 'toman', 1, MOST)),
});

async function sold(context: Context): Promise<Result> {
  const request = { ...given(context), buyer: text(context.flags, 'to') };
  const cards = await sellBatch(context, request);
  const { batchId, toman, buyer } = request;
  return {
    data: { batchId, toman, buyer, cards },
    lines: [`${cards} cards are sold to ${buyer} for ${toman} toman, which are owed until: gift-cards paid`],
  };
}

async function settled(context: Context, kind: 'paid' | 'written_off'): Promise<Result> {
  const request = { ...given(context), kind };
  const owed = await settleSale(context, request);
  const { batchId, toman } = request;
  return { data: { batchId, kind, toman, owed }, lines: [`${toman} toman are booked; ${owed} are still owed.`] };
}

async function report({ db }: Context): Promise<Result> {
  const sales = await listSales(db);
  const head = Object.keys(sales[0] ?? {});
  const rows = sales.map((sale) =>
    Object.values({ ...sale, sold_at: sale.sold_at.toISOString() }).map((cell: string | bigint) => cell),
  );
  const lines = [head, ...rows].map((row) => row.join('\t'));
  return { data: sales, lines: sales.length > 0 ? lines : ['No cards are sold.'], table: { head, rows } };
}
