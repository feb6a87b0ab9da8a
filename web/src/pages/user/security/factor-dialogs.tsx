import type { Profile } from '@raha/contract/public/profile.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import ConfirmDialog, { type Proof } from '../profile/confirm-dialog.tsx';
import { factorsQuery, profileApi } from '../profile/profile-api.ts';
import { AddPasskeyDialog } from './add-passkey-dialog.tsx';
import type { FactorAction, FactorDialogProps } from './factor-action.ts';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { RenamePasskeyDialog } from './rename-passkey-dialog.tsx';
import { TotpDialog } from './totp-dialog.tsx';

/** One change of the account's factors from its confirmation to the codes that it gives. */
export default function FactorDialogs({ action, ...props }: FactorDialogsProps) {
  const queries = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>();
  const onDone: FactorDialogProps['onDone'] = (sentence, recoveryCodes) => {
    toast(sentence);
    void queries.invalidateQueries({ queryKey: factorsQuery.queryKey });
    if (recoveryCodes) setCodes(recoveryCodes);
    else props.onClose();
  };
  if (codes) return <RecoveryCodesDialog codes={codes} onClose={props.onClose} />;
  if (action.kind === 'add-passkey') return <AddPasskeyDialog {...props} onDone={onDone} />;
  if (action.kind === 'add-totp') return <TotpDialog {...props} onDone={onDone} />;
  if (action.kind === 'rename') return <RenamePasskeyDialog {...props} passkey={action.passkey} onDone={onDone} />;
  return <Confirmed {...props} {...changeOf(action)} onDone={onDone} />;
}

interface FactorDialogsProps {
  action: FactorAction;
  profile: Profile;
  onClose(): void;
}

/** A change that is made as soon as the owner has confirmed. */
interface Change {
  readonly title: string;
  readonly description: string;
  readonly isDanger?: boolean;
  readonly done: string;
  make(proof: Proof): Promise<{ data?: { recovery_codes: string[] | null } }>;
}

function Confirmed({
  profile,
  title,
  description,
  isDanger = false,
  done,
  make,
  ...dialog
}: Change & FactorDialogProps) {
  return (
    <ConfirmDialog
      title={title}
      description={description}
      confirmLabel={title}
      isDanger={isDanger}
      profile={profile}
      onConfirm={async (proof) => dialog.onDone(done, (await make(proof)).data?.recovery_codes)}
      onClose={dialog.onClose}
    />
  );
}

type ConfirmedAction = Extract<
  FactorAction,
  { readonly kind: 'remove-totp' | 'renew-codes' | 'remove' | 'second-step' }
>;

function changeOf(action: ConfirmedAction | FactorAction): Change {
  if (!('passkey' in action)) return action.kind === 'remove-totp' ? removeTotp : renewCodes;
  const { id, name, second_step } = action.passkey;
  const isolated = `\u2068${name}\u2069`;
  if (action.kind === 'remove') {
    return {
      title: m.passkey_remove(),
      description: m.passkey_remove_question({ name: isolated }),
      isDanger: true,
      done: m.passkey_removed(),
      make: (proof) => profileApi.removePasskey({ params: { id }, body: proof }).then(() => ({})),
    };
  }
  const enabled = !second_step;
  return {
    title: m.passkey_second_step(),
    description: enabled ? m.passkey_second_step_on_question() : m.passkey_second_step_off_question(),
    done: enabled ? m.passkey_second_step_on() : m.passkey_second_step_off(),
    make: (proof) => profileApi.setPasskeySecondStep({ params: { id }, body: { enabled, ...proof } }),
  };
}

const removeTotp: Change = {
  title: m.totp_remove(),
  description: m.totp_remove_question(),
  isDanger: true,
  done: m.totp_removed(),
  make: (proof) => profileApi.removeTotp({ body: proof }).then(() => ({})),
};

const renewCodes: Change = {
  title: m.recovery_renew(),
  description: m.recovery_renew_question(),
  done: m.recovery_show_title(),
  make: (proof) => profileApi.renewRecoveryCodes({ body: proof }),
};
