import type { TableRetention } from '../../platform/retention.ts';

export const paymentsRetention: TableRetention = {
  payment: { ever: 'the books and the bank name it, also what was never paid: a bank may credit it late' },
  refund: { ever: 'the books and the bank name it' },
  payment_reversal: { ever: 'the books and the bank name it' },
  debtor_mark: {
    days: 'debtors',
    after: 'the account was deleted',
    schedule: 'forget erased accounts that owe nothing',
    leaves: 'those of accounts that owe money',
  },
  card_money: { ever: 'a row for each account: what of its money never goes to a bank' },
  card_purchase: { ever: 'a row for each plan that was bought with such money' },
  gateway_minute: { days: 'attempts', after: 'its minute', schedule: 'forget old calls of gateways' },
};
