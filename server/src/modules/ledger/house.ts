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
  /** Refunds that left wallets and have not reached the payers yet. */
  refundClearing: '00000000-0000-7000-8000-000000000101',
  /** Debts of users whose payment was reversed by the bank after the money was spent. */
  chargeback: '00000000-0000-7000-8000-000000000102',
} as const;

export const gatewayClearing = {
  zarinpal: house.zarinpalClearing,
  idpay: house.idpayClearing,
  nextpay: house.nextpayClearing,
} as const;
