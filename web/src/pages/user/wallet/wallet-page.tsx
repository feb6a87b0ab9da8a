import { useQuery } from '@tanstack/react-query';
import { now } from '../../../api/clock.ts';
import { walletQuery } from '../../../api/queries.ts';
import { ActivationNotice } from '../../../components/activation-notice.tsx';
import { FailureCard } from '../../../components/failure-card.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useMe } from '../../../components/use-me.ts';
import { useTitle } from '../../../components/use-title.ts';
import { m } from '../../../text/generated/messages.js';
import { BalanceCard } from './balance-card.tsx';
import { Transactions } from './transactions.tsx';
import { WalletStats } from './wallet-stats.tsx';

export default function WalletPage() {
  useTitle(m.wallet_title());
  const me = useMe();
  return (
    <>
      <PageHeading title={m.wallet_title()} />
      {me?.isActivated ? (
        <Wallet trialEndsAt={me.trialEndsAt} />
      ) : (
        <ActivationNotice text={m.wallet_needs_activation()} />
      )}
    </>
  );
}

function Wallet({ trialEndsAt }: { trialEndsAt: string | null }) {
  const wallet = useQuery(walletQuery);
  if (wallet.isError && !wallet.data) {
    return (
      <FailureCard
        title={m.wallet_failed()}
        error={wallet.error}
        busy={wallet.isFetching}
        onRetry={() => void wallet.refetch()}
      />
    );
  }
  return (
    <div className="grid gap-4 sm:gap-5">
      <BalanceCard wallet={wallet.data} freeUntil={isAhead(trialEndsAt) ? trialEndsAt : undefined} />
      <WalletStats wallet={wallet.data} />
      <Transactions />
    </div>
  );
}

function isAhead(instant: string | null): instant is string {
  return instant !== null && Date.parse(instant) > now();
}
