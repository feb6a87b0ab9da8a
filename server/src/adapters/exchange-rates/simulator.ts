import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { FeedName } from './feeds.ts';

/** The four sources' wire formats in one plugin, with their known faults. Only tests mount it, never the product. */
export type FeedFault =
  | 'none'
  /** The wrong unit: the figure is ten times too large. */
  | 'times-ten'
  /** The time stamp, where the source has one, is eleven minutes old. */
  | 'stale'
  /** HTTP 429 as Nobitex sends it. */
  | 'too-many'
  /** A page of a proxy instead of an answer. */
  | 'html'
  /** HTTP 200 with an order book without offers. */
  | 'empty'
  /** Never answers. */
  | 'silent';

export interface SimulatedMarket {
  tomanPerUsd: number;
  readonly faults: Partial<Record<FeedName, FeedFault>>;
  /** How often each source was called. */
  readonly asked: Record<FeedName, number>;
}

export function simulatedMarket(tomanPerUsd: number): SimulatedMarket {
  return { tomanPerUsd, faults: {}, asked: { nobitex: 0, wallex: 0, bitpin: 0, tgju: 0 } };
}

export async function rateSimulator(
  app: FastifyInstance,
  options: { market: SimulatedMarket; clock: Clock },
): Promise<void> {
  const { market, clock } = options;
  const serve = (name: FeedName, path: string, write: (tomanPerUsd: number, at: Date) => unknown) => {
    app.get(path, async (_request, reply) => {
      market.asked[name] += 1;
      const fault = market.faults[name] ?? 'none';
      if (fault === 'silent') return reply.hijack();
      if (fault === 'html') return reply.type('text/html').send('<html><body>502 Bad Gateway</body></html>');
      if (fault === 'too-many') return tooMany(reply);
      const at = new Date(clock.now().getTime() - (fault === 'stale' ? 11 * 60_000 : 2_000));
      return fault === 'empty' ? {} : write(market.tomanPerUsd * (fault === 'times-ten' ? 10 : 1), at);
    });
  };
  serve('nobitex', '/v3/orderbook/USDTIRT', (toman, at) => ({
    status: 'ok',
    lastUpdate: at.getTime(),
    lastTradePrice: String(toman * 10),
    asks: [
      [String(toman * 10 + 500), '120.5'],
      [String(toman * 10 + 900), '7'],
    ],
    bids: [
      [String(toman * 10 - 500), '88'],
      [String(toman * 10 - 1000), '4.2'],
    ],
  }));
  serve('wallex', '/v1/depth', (toman) => ({
    success: true,
    result: {
      ask: [{ price: toman + 40, quantity: 262.3, sum: '921.8' }],
      bid: [{ price: String(toman - 40), quantity: 381.2, sum: '12.1' }],
    },
  }));
  serve('bitpin', '/api/v1/mth/orderbook/USDT_IRT/', (toman) => ({
    asks: [[String(toman + 60), '15']],
    bids: [[String(toman - 60), '3']],
  }));
  serve('tgju', '/ajax.json', (toman, at) => ({
    current: {
      price_dollar_rl: { p: (toman * 10).toLocaleString('en-US'), h: '0', l: '0', ts: tehranText(at) },
      price_eur: { p: '1,000', ts: tehranText(at) },
    },
  }));
}

function tooMany(reply: FastifyReply) {
  return reply.code(429).send({ status: 'failed', code: 'TooManyRequests', backOff: 30, limit: '300/1m' });
}

function tehranText(at: Date): string {
  return new Date(at.getTime() + 3.5 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
}
