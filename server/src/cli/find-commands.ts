import type { Commands } from './context.ts';

interface Part {
  /** The first words of its commands. */
  readonly nouns: readonly string[];
  readonly load: () => Promise<Commands>;
}

/** Every file of commands. Only those with the noun that was typed are loaded: behind all of them is the whole server, which takes a second. */
export const parts: readonly Part[] = [
  { nouns: ['gift-cards'], load: async () => (await import('./gift-card-commands.ts')).giftCardCommands },
  { nouns: ['flags'], load: async () => (await import('./flag-commands.ts')).flagCommands },
  { nouns: ['bulk'], load: async () => (await import('./bulk-commands.ts')).bulkCommands },
  {
    nouns: ['gift-cards', 'writeoff', 'report'],
    load: async () => (await import('./card-sale-commands.ts')).cardSaleCommands,
  },
  { nouns: ['nodes'], load: async () => (await import('./node-commands.ts')).nodeCommands },
  { nouns: ['nodes'], load: async () => (await import('./trace-command.ts')).traceCommands },
  { nouns: ['relays'], load: async () => (await import('./relay-commands.ts')).relayCommands },
  { nouns: ['entries'], load: async () => (await import('./entry-commands.ts')).entryCommands },
  { nouns: ['release'], load: async () => (await import('./release-commands.ts')).releaseCommands },
  { nouns: ['plans'], load: async () => (await import('./plan-commands.ts')).planCommands },
  { nouns: ['rate'], load: async () => (await import('./rate-commands.ts')).rateCommands },
  {
    nouns: ['gateways', 'payments', 'refunds'],
    load: async () => (await import('./payment-commands.ts')).paymentCommands,
  },
  { nouns: ['settlements'], load: async () => (await import('./settlement-commands.ts')).settlementCommands },
  { nouns: ['report'], load: async () => (await import('./report-commands.ts')).reportCommands },
  { nouns: ['reach'], load: async () => (await import('./reach-commands.ts')).reachCommands },
  { nouns: ['report', 'books'], load: async () => (await import('./books-commands.ts')).booksCommands },
  { nouns: ['accounts'], load: async () => (await import('./account-commands.ts')).accountCommands },
  { nouns: ['deliveries'], load: async () => (await import('./delivery-commands.ts')).deliveryCommands },
  { nouns: ['staff'], load: async () => (await import('./staff-commands.ts')).staffCommands },
  { nouns: ['tokens'], load: async () => (await import('./token-commands.ts')).tokenCommands },
  {
    nouns: ['accounts', 'writeoff', 'debts'],
    load: async () => (await import('./correction-commands.ts')).correctionCommands,
  },
  { nouns: ['approvals'], load: async () => (await import('./approval-commands.ts')).approvalCommands },
  { nouns: ['settings', 'ledger'], load: async () => (await import('./house-commands.ts')).houseCommands },
  { nouns: ['keys'], load: async () => (await import('./key-commands.ts')).keyCommands },
  { nouns: ['audit'], load: async () => (await import('./audit-commands.ts')).auditCommands },
  { nouns: ['alerts'], load: async () => (await import('./alert-commands.ts')).alertCommands },
  { nouns: ['status'], load: async () => (await import('./status-commands.ts')).statusCommands },
  { nouns: ['doctor'], load: async () => (await import('./doctor-commands.ts')).doctorCommands },
  { nouns: ['backup'], load: async () => (await import('./backup-commands.ts')).backupCommands },
];

/** The commands of that noun, or all of them if none has it. */
export async function findCommands(noun: string | undefined): Promise<Commands> {
  const meant = parts.filter(({ nouns }) => noun !== undefined && nouns.includes(noun));
  const found = await Promise.all((meant.length > 0 ? meant : parts).map(({ load }) => load()));
  return Object.assign({}, ...found);
}
