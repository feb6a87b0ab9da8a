/** House accounts: the product's own side of every movement. They keep no balance row; they are sums. */
export const house = {
  zarinpalClearing: '00000000-0000-7000-8000-000000000001',
  idpayClearing: '00000000-0000-7000-8000-000000000002',
  nextpayClearing: '00000000-0000-7000-8000-000000000003',
  usageRevenue: '00000000-0000-7000-8000-000000000004',
  giftIssued: '00000000-0000-7000-8000-000000000005',
  adjustment: '00000000-0000-7000-8000-000000000006',
  writeOff: '00000000-0000-7000-8000-000000000007',
  planRevenue: '00000000-0000-7000-8000-000000000020',
  /** Money that left wallets and has not arrived at payers yet. */
  refundClearing: '00000000-0000-7000-8000-000000000101',
  /** What people owe because a bank took credited money back that was spent. */
  chargeback: '00000000-0000-7000-8000-000000000102',
} as const;

export const gatewayClearing = {
  zarinpal: house.zarinpalClearing,
  idpay: house.idpayClearing,
  nextpay: house.nextpayClearing,
} as const;
