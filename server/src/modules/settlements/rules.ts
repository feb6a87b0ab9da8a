/** Which lines of banks' settlement files settle which of our payments, and where the two differ. Pure decisions. */

export interface Line {
  readonly id: string;
  /** The bank's reference: of the paid transaction, or of the payment at the bank. */
  readonly reference: string;
  /** The bank's name for the payment, if the file has both. */
  readonly session: string | null;
  /** Negative: money that went back to a payer. Never zero. */
  readonly amountRial: bigint;
  /** What the bank kept of it. */
  readonly feeRial: bigint;
  /** The how many-th line of its file that says exactly this. */
  readonly occurrence: number;
  /** An operator has resolved its difference without booking it. */
  readonly isResolved: boolean;
}

export interface Payment {
  readonly id: string;
  readonly ref_id: string | null;
  readonly gateway_reference: string | null;
  readonly amount_toman: bigint;
  readonly isCredited: boolean;
  readonly at: Date | null;
  readonly returns: readonly {
    readonly kind: 'refund' | 'reversal';
    readonly id: string;
    readonly amountToman: bigint;
    readonly at: Date;
  }[];
}

/** One movement of ours that a bank settles: above zero it pays us, below zero it takes back. */
export interface Item {
  readonly kind: 'payment' | 'refund' | 'reversal';
  readonly id: string;
  readonly paymentId: string;
  readonly amountToman: bigint;
  readonly at: Date;
}

export type LineDifference =
  | 'unreadable'
  | 'doubled'
  | 'fee-above-amount'
  | 'unknown-payment'
  | 'unknown-return'
  | 'other-amount'
  | 'already-settled';
/** missing: a payment without a line. not-taken-back: settled in full, though refunded or reversed in our books. */
export type ItemDifference = 'missing' | 'not-taken-back';
export type DifferenceKind = LineDifference | ItemDifference;

export type Unit = 'rial' | 'toman';

export interface Decision {
  readonly matches: readonly { readonly line: Line; readonly items: readonly Item[] }[];
  readonly lines: readonly { readonly line: Line; readonly kind: LineDifference; readonly payment?: Payment }[];
  readonly items: readonly { readonly item: Item; readonly kind: ItemDifference }[];
}

export const keyOf = ({ kind, id }: Pick<Item, 'kind' | 'id'>) => `${kind} ${id}`;

export function itemsOf(payment: Payment): Item[] {
  const { id: paymentId, at, isCredited, amount_toman: amountToman, returns } = payment;
  if (!isCredited || !at) return [];
  const back = returns.map(({ amountToman: amount, ...back }) => ({ ...back, paymentId, amountToman: -amount }));
  return [{ kind: 'payment', id: paymentId, paymentId, amountToman, at }, ...back];
}

/**
 * Matches lines in the given order by reference and amount. A payment's line is its amount, or its amount less all that
 * went back of it. Every line that settles nothing is a difference; and of the movements of `judged`, the days that the
 * files cover, every payment that nothing settles (unless all of it went back and no line speaks of it), and every refund
 * or reversal whose payment is settled while its own money was not taken back.
 */
export function decideSettlement(input: {
  readonly lines: readonly Line[];
  readonly payments: readonly Payment[];
  readonly settled: ReadonlySet<string>;
  readonly judged: { readonly from: Date; readonly until: Date } | undefined;
}): Decision {
  const settled = new Set(input.settled);
  const byReference = indexByReference(input.payments);
  const matches: { line: Line; items: Item[] }[] = [];
  const lines: { line: Line; kind: LineDifference; payment?: Payment }[] = [];
  for (const line of input.lines) {
    const [first, second] = [byReference.get(line.reference), byReference.get(line.session ?? '')];
    const payment = second && !first?.isCredited ? second : first;
    const found = line.occurrence > 1 ? 'doubled' : decideLine(line, payment, settled);
    if (typeof found === 'string') {
      lines.push({ line, kind: found, ...(payment ? { payment } : {}) });
      continue;
    }
    for (const item of found) settled.add(keyOf(item));
    matches.push({ line, items: found });
  }
  // A line of the wrong amount or fee is the difference of its payment or return, which is then not listed beside it.
  const contested = new Set(
    lines.flatMap(({ line, kind, payment }) =>
      payment && !line.isResolved && (kind === 'other-amount' || kind === 'fee-above-amount')
        ? [`${line.amountRial > 0n ? 'paid' : 'back'} ${payment.id}`]
        : [],
    ),
  );
  const items = input.payments.flatMap((payment) => decideItems(payment, settled, input.judged, contested));
  return { matches, lines, items };
}

/** A bank's reference names the credited payment, if it names several. */
function indexByReference(payments: readonly Payment[]): Map<string, Payment> {
  const found = new Map<string, Payment>();
  const claim = (reference: string | null, payment: Payment) => {
    if (reference !== null && !found.get(reference)?.isCredited) found.set(reference, payment);
  };
  for (const payment of payments) claim(payment.ref_id, payment);
  for (const payment of payments) claim(payment.gateway_reference, payment);
  return found;
}

/** What the line settles, or how it differs. */
function decideLine(
  { amountRial, feeRial }: Line,
  payment: Payment | undefined,
  settled: ReadonlySet<string>,
): Item[] | LineDifference {
  const size = amountRial < 0n ? -amountRial : amountRial;
  if (feeRial > size || feeRial < -size) return 'fee-above-amount';
  const [paid, ...returns] = payment ? itemsOf(payment) : [];
  if (!paid) return 'unknown-payment';
  if (amountRial > 0n) {
    const net = returns.reduce((sum, { amountToman }) => sum + amountToman, paid.amountToman);
    const isGross = amountRial === paid.amountToman * 10n;
    if (!isGross && amountRial !== net * 10n) return 'other-amount';
    if (settled.has(keyOf(paid))) return 'already-settled';
    if (isGross) return [paid];
    return returns.some((item) => settled.has(keyOf(item))) ? 'other-amount' : [paid, ...returns];
  }
  if (returns.length === 0) return 'unknown-return';
  const equal = returns.filter(({ amountToman }) => amountToman * 10n === amountRial);
  if (equal.length === 0) return 'other-amount';
  const open = equal.find((item) => !settled.has(keyOf(item)));
  return open ? [open] : 'already-settled';
}

function decideItems(
  payment: Payment,
  settled: ReadonlySet<string>,
  judged: { readonly from: Date; readonly until: Date } | undefined,
  contested: ReadonlySet<string>,
): { item: Item; kind: ItemDifference }[] {
  const [paid, ...returns] = itemsOf(payment);
  if (!paid) return [];
  const isOpen = (item: Item) => !settled.has(keyOf(item));
  const isJudged = ({ at }: Item) => judged !== undefined && at >= judged.from && at < judged.until;
  if (!isOpen(paid)) {
    if (contested.has(`back ${payment.id}`)) return [];
    return returns.filter((item) => isOpen(item) && isJudged(item)).map((item) => ({ item, kind: 'not-taken-back' }));
  }
  const wentBack = returns.reduce((sum, { amountToman }) => sum + amountToman, paid.amountToman) === 0n;
  const isExplained = contested.has(`paid ${payment.id}`) || (wentBack && returns.every(isOpen));
  return isJudged(paid) && !isExplained ? [{ item: paid, kind: 'missing' }] : [];
}

/** From so many lines on, a file of which nothing is known is probably not for us. */
const MANY_STRANGERS = 5;

/**
 * What is probably wrong with a whole file of which no line fits: all amounts are a tenth of ours or ten times ours, so that they
 * are in the other unit (named), or none of its payments is known. Undefined if it looks well.
 */
export function suspectFile(
  { matches, lines }: Pick<Decision, 'matches' | 'lines'>,
  ofFile: ReadonlySet<string>,
): Unit | 'strangers' | undefined {
  if (matches.some(({ line }) => ofFile.has(line.id))) return undefined;
  const own = lines.filter(({ line }) => ofFile.has(line.id));
  const other = own.filter(({ kind, payment }) => kind === 'other-amount' && payment?.isCredited);
  const isAll = (rialPerToman: bigint) =>
    other.length > 0 &&
    other.every(({ line, payment }) => line.amountRial === (payment?.amount_toman ?? 0n) * rialPerToman);
  if (isAll(1n)) return 'toman';
  if (isAll(100n)) return 'rial';
  return own.length >= MANY_STRANGERS && own.every(({ payment }) => !payment) ? 'strangers' : undefined;
}

/**
 * Whole toman for the fees of a payout's lines in rial, in their order. Fractions are carried on, so that the sum of any first
 * lines is right to half a toman.
 */
export function roundFees(feesRial: readonly bigint[]): bigint[] {
  let rial = 0n;
  let toman = 0n;
  return feesRial.map((fee) => {
    rial += fee;
    const before = toman;
    toman = floorDiv(rial + 5n, 10n);
    return toman - before;
  });
}

/** Rial as whole toman, towards zero. */
export const wholeToman = (rial: bigint) => rial / 10n;

function floorDiv(value: bigint, by: bigint): bigint {
  const whole = value / by;
  return value < 0n && whole * by !== value ? whole - 1n : whole;
}

/** What a booking moves out of clearing, and where to. */
export interface Sums {
  readonly clearing: bigint;
  readonly bank: bigint;
  readonly fee: bigint;
  readonly difference: bigint;
}

/**
 * A line as the bank has it: its net amount at the bank and its fee, taken from clearing as far as it settles items; what is
 * left over is a difference, which is an expense (above zero) or an income.
 */
export function sumsOfLine(line: { amountRial: bigint; feeToman: bigint }, items: readonly Item[]): Sums {
  const amount = wholeToman(line.amountRial);
  const clearing = items.reduce((sum, { amountToman }) => sum + amountToman, 0n);
  return { clearing, bank: amount - line.feeToman, fee: line.feeToman, difference: clearing - amount };
}

export function addSums(a: Sums, b: Sums): Sums {
  return {
    clearing: a.clearing + b.clearing,
    bank: a.bank + b.bank,
    fee: a.fee + b.fee,
    difference: a.difference + b.difference,
  };
}

export const noSums: Sums = { clearing: 0n, bank: 0n, fee: 0n, difference: 0n };

/** The first day from `first` to `last` that none of the ranges contains. */
export function firstUncovered(
  ranges: readonly { readonly from: string; readonly to: string }[],
  first: string,
  last: string,
): string | undefined {
  for (let day = first; day <= last; day = nextDay(day)) {
    if (!ranges.some(({ from, to }) => from <= day && day <= to)) return day;
  }
  return undefined;
}

function nextDay(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}
