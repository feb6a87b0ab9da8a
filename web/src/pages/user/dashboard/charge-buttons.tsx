import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { UsualCharge } from '@raha/contract/public/wallet.ts';
import { Link } from '../../../routes/link.tsx';
import { toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { useStartCharge } from '../wallet/charge/use-start-charge.ts';

interface ChargeButtonsProps {
  usual: UsualCharge | undefined;
  className: string;
  otherClassName: string;
}

/** The payment of last time in one press, or the way to choose another. */
export function ChargeButtons({ usual, className, otherClassName }: ChargeButtonsProps) {
  const { start, busy, problem } = useStartCharge();
  if (!usual) {
    return (
      <Link to={paths.charge} className={className}>
        {m.charge_wallet()}
      </Link>
    );
  }
  const { amount, gateway } = usual;
  return (
    <>
      {gateway ? (
        <Button
          className={`${className} aria-busy:opacity-70`}
          busy={busy}
          onClick={() => void start({ amount, payment_method: gateway.name })}
        >
          {busy ? m.going_to_bank() : m.charge_amount_with({ amount: toman(amount), bank: gateway.title })}
        </Button>
      ) : (
        <Link to={paths.charge} className={className}>
          {m.charge_amount({ amount: toman(amount) })}
        </Link>
      )}
      {problem && (
        <p role="alert" className="rounded-md bg-danger-soft text-danger font-medium text-sm px-3 py-2 mt-1">
          {problem}
        </p>
      )}
      <Link to={paths.charge} className={otherClassName}>
        {m.cut_other()}
      </Link>
    </>
  );
}
