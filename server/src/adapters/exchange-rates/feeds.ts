import { limits } from '@raha/contract/limits.ts';
import type { ExchangeRateFeed } from '../../modules/currency/exchange-rate.ts';
import type { Quote } from '../../modules/currency/rules.ts';
import { field, figure, midOf, readJson } from './read-json.ts';

/**
 * The sources of the dollar's price in toman. Each has its own unit, fixed here and never guessed: Nobitex and tgju
 * quote rial (Nobitex calls it IRT), Wallex and Bitpin toman. The exchanges trade USDT; tgju quotes cash.
 */
export const feedNames = ['nobitex', 'wallex', 'bitpin', 'tgju'] as const;
export type FeedName = (typeof feedNames)[number];

interface Source {
  readonly baseUrl: string;
  readonly path: string;
  readonly rialPerUnit: 1 | 10;
  readonly read: (answer: unknown) => { price: number | undefined; at: Date | undefined };
}

const sources: Readonly<Record<FeedName, Source>> = {
  nobitex: {
    baseUrl: 'https://apiv2.nobitex.ir',
    path: '/v3/orderbook/USDTIRT',
    rialPerUnit: 1,
    read: (answer) => ({
      price: midOf(field(answer, 'asks', 0, 0), field(answer, 'bids', 0, 0)),
      at: instantOf(figure(field(answer, 'lastUpdate'))),
    }),
  },
  wallex: {
    baseUrl: 'https://api.wallex.ir',
    path: '/v1/depth?symbol=USDTTMN',
    rialPerUnit: 10,
    read: (answer) => ({
      price: midOf(field(answer, 'result', 'ask', 0, 'price'), field(answer, 'result', 'bid', 0, 'price')),
      at: undefined,
    }),
  },
  bitpin: {
    baseUrl: 'https://api.bitpin.ir',
    path: '/api/v1/mth/orderbook/USDT_IRT/',
    rialPerUnit: 10,
    read: (answer) => ({
      price: midOf(field(answer, 'asks', 0, 0), field(answer, 'bids', 0, 0)),
      at: undefined,
    }),
  },
  tgju: {
    baseUrl: 'https://call1.tgju.org',
    path: '/ajax.json',
    rialPerUnit: 1,
    read: (answer) => ({
      price: figure(field(answer, 'current', 'price_dollar_rl', 'p')),
      at: tehranTime(field(answer, 'current', 'price_dollar_rl', 'ts')),
    }),
  },
};

export function createFeed(
  name: FeedName,
  options: { baseUrl?: string | undefined; timeoutMs?: number } = {},
): ExchangeRateFeed {
  const source = sources[name];
  const timeoutMs = options.timeoutMs ?? limits.exchangeRate.sourceTimeoutMs;
  return {
    name,
    async read(): Promise<Quote | undefined> {
      const answer = await readJson(`${options.baseUrl ?? source.baseUrl}${source.path}`, timeoutMs);
      const { price, at } = source.read(answer);
      if (price === undefined) return undefined;
      return { source: name, tomanPerUsd: Math.floor((price * source.rialPerUnit) / 10), at };
    },
  };
}

/** tgju's times are in Tehran time, which has been UTC+3:30 all year since 2022. */
function tehranTime(text: unknown): Date | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return undefined;
  return instantOf(Date.parse(`${text.replace(' ', 'T')}+03:30`));
}

function instantOf(milliseconds: number | undefined): Date | undefined {
  const instant = new Date(milliseconds ?? Number.NaN);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
