import fc from 'fast-check';
import { expect } from 'vitest';
import { describePayments } from '../../src/modules/payments/describe-payment.ts';
import { requestRefund } from '../../src/modules/payments/request-refund.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { balancesOf, confirmed } from './bench.ts';
import { command, finishRefund, type MoneyCommand } from './commands.ts';
import { credit, type ModelUser, transferable } from './model.ts';

/**
 * Whatever state was reached: exactly the balance that is shown can be spent, and exactly what is shown as refundable can be
 * refunded (audit M1, M2). The amounts are read from the product; the model says what becomes of them.
 */
const who = fc.nat({ max: 2 });

const sendAll = fc.tuple(who, who).map(([from, to]) =>
  command(`sendAll(${from} → ${to})`, async (model, { world, people, clock }) => {
    const sender = model.people[from] as ModelUser;
    const [shown] = await balancesOf(world, [people[from] as { id: string }]);
    const amountToman = shown?.balance ?? 0;
    const now = clock.now().getTime();
    if (from === to || amountToman === 0 || !transferable(sender, amountToman, now)) return;
    const order = { fromUserId: people[from]?.id as string, toEmail: people[to]?.email as string, amountToman };
    await transferMoney(world.deps, { ...order, ...confirmed });
    sender.wallet -= amountToman;
    sender.sent.push({ at: now, amount: amountToman });
    credit(model.people[to] as ModelUser, amountToman, amountToman);
    const [left] = await balancesOf(world, [people[from] as { id: string }]);
    expect(left?.balance, 'left after everything was sent').toBe(0);
  }),
);

const refundShown = fc.nat({ max: 50 }).map((which) =>
  command(`refundShown(${which})`, async (model, real) => {
    const payment = model.payments[which % Math.max(1, model.payments.length)];
    if (!payment) return;
    const userId = real.people[payment.user]?.id as string;
    const shown = (await describePayments(real.world.deps, userId, [payment.id], 'fa')).get(payment.id);
    const amountToman = shown?.refundable_amount ?? 0;
    expect(shown?.refundable, 'a refundable payment shows an amount').toBe(amountToman > 0);
    if (amountToman === 0) return;
    await requestRefund(real.world.deps, { userId, paymentId: payment.id, amountToman });
    (model.people[payment.user] as { wallet: number }).wallet -= amountToman;
    payment.refundOpen = true;
    await finishRefund(model, real, payment, amountToman, 'arrives');
  }),
);

export const spendCommands: fc.Arbitrary<MoneyCommand>[] = [sendAll, refundShown];
