/** House accounts: the product's own side of every movement. They have no balance row; their balance is a sum. */
export const house = {
  zarinpalClearing: '00000000-0000-7000-8000-000000000001',
  idpayClearing: '00000000-0000-7000-8000-000000000002',
  nextpayClearing: '00000000-0000-7000-8000-000000000003',
  usageRevenue: '00000000-0000-7000-8000-000000000004',
  giftIssued: '00000000-0000-7000-8000-000000000005',
  adjustment: '00000000-0000-7000-8000-000000000006',
  writeOff: '00000000-0000-7000-8000-000000000007',
  planRevenue: '00000000-0000-7000-8000-000000000020',
  /** Paid for days of plans that are still to come. */
  planDeferred: '00000000-0000-7000-8000-000000000021',
  /** What plans that ended early kept beyond the time that had passed; negative: gave back beyond it. */
  planEnded: '00000000-0000-7000-8000-000000000022',
  /** What shops owe for gift cards; negative. */
  cardReceivable: '00000000-0000-7000-8000-000000000031',
  /** What was taken for sold cards that can still be redeemed. */
  cardLiability: '00000000-0000-7000-8000-000000000032',
  /** What redeemed cards were sold for less what they were worth then. */
  cardRateDifference: '00000000-0000-7000-8000-000000000033',
  /** What was taken for sold cards that ended unredeemed. */
  cardBreakage: '00000000-0000-7000-8000-000000000034',
  /** VAT that the invoices say, owed to the tax office. */
  vat: '00000000-0000-7000-8000-000000000041',
  /** The same out of revenue, which is booked with VAT in it; negative. */
  vatInRevenue: '00000000-0000-7000-8000-000000000042',
  /** Refunds that left wallets and have not reached the payers yet. */
  refundClearing: '00000000-0000-7000-8000-000000000101',
  /** Debts of users whose payment was reversed by the bank after the money was spent. */
  chargeback: '00000000-0000-7000-8000-000000000102',
  /** What banks paid out to the operator's account, by their settlement files. */
  bank: '00000000-0000-7000-8000-000000000201',
  /** What banks kept of it for themselves. */
  fee: '00000000-0000-7000-8000-000000000202',
  /** What files and books differ by, as the operator resolved it. */
  settlementDifference: '00000000-0000-7000-8000-000000000203',
} as const;

export const gatewayClearing = {
  zarinpal: house.zarinpalClearing,
  idpay: house.idpayClearing,
  nextpay: house.nextpayClearing,
} as const;
