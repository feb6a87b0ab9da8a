import type { TableRetention } from '../../platform/retention.ts';

export const currencyRetention: TableRetention = {
  exchange_rate: {
    days: 'exchangeRates',
    after: 'the reading; a refused one after a day',
    schedule: 'forget old exchange rates',
    leaves: 'the rates of the operator, and the last accepted reading',
  },
  exchange_rate_refresh: { ever: 'one row' },
};
