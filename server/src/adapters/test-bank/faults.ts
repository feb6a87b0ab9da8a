import type { GatewayName } from '@raha/contract/payment-gateways.ts';

export type BankCall = 'start' | 'verify' | 'inquiry' | 'refund' | 'panel' | 'list';

/**
 * How a bank misbehaves: the connection breaks before it acts, or after it acted and before it answers; it never
 * answers; an HTML error page, a bare 500, invalid JSON, ten megabytes, a redirect.
 */
export type BankFault = 'cut' | 'cut-after' | 'hang' | 'html-502' | 'error-500' | 'garbage' | 'huge' | 'redirect';

/** The faults planned for the test banks; only tests plan any. */
export interface BankFaults {
  plan(gateway: GatewayName, call: BankCall, fault: BankFault, times?: number): void;
  take(gateway: GatewayName, call: BankCall): BankFault | undefined;
  clear(): void;
}

export function createBankFaults(): BankFaults {
  const planned = new Map<string, BankFault[]>();
  return {
    plan(gateway, call, fault, times = 1) {
      const key = `${gateway} ${call}`;
      planned.set(key, [...(planned.get(key) ?? []), ...Array.from({ length: times }, () => fault)]);
    },
    take: (gateway, call) => planned.get(`${gateway} ${call}`)?.shift(),
    clear: () => planned.clear(),
  };
}
