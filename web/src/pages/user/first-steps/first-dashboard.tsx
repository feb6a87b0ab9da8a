import type { User } from '@raha/contract/public/auth.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import type { SubscriptionOverview } from '@raha/contract/public/dashboard.ts';
import type { OpenDialog } from '../configs/open-dialog.ts';
import { SubscriptionCard } from '../dashboard/subscription-card.tsx';
import { FirstSteps, HelpCard } from './first-steps.tsx';

interface FirstDashboardProps {
  me: User;
  subscription: SubscriptionOverview;
  configs: readonly Config[];
  onDialog(dialog: OpenDialog): void;
}

/** The dashboard of an account that has used nothing yet: no figure means anything before the first connection. */
export default function FirstDashboard({ me, subscription, configs, onDialog }: FirstDashboardProps) {
  return (
    <div className="grid lg:grid-cols-3 gap-4 sm:gap-5 items-start [&>*]:min-w-0">
      <div className="lg:col-span-2">
        <FirstSteps me={me} configs={configs} onDialog={onDialog} />
      </div>
      <div className="grid gap-4 sm:gap-5">
        <SubscriptionCard subscription={subscription} hasButton={false} />
        <HelpCard />
      </div>
    </div>
  );
}
