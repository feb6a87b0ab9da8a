import type { Passkey } from '@raha/contract/public/factors.ts';
import { Pencil, Trash2 } from 'lucide-react';
import { dateTime } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { Switch } from '../../../ui/switch.tsx';
import type { FactorAction } from './factor-action.ts';

export function PasskeyRow({ passkey, onAction }: { passkey: Passkey; onAction(action: FactorAction): void }) {
  const { name, second_step: isSecondStep } = passkey;
  return (
    <li className="py-4 grid gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="flex-1 min-w-48">
          <p className="flex flex-wrap items-center gap-x-2.5 font-bold">
            <bdi className="[overflow-wrap:anywhere]">{name}</bdi>
            {passkey.backed_up && <span className="badge bg-accent-soft text-accent">{m.passkey_synced()}</span>}
          </p>
          <p className="text-sm text-text-2">{m.passkey_made_on({ when: dateTime(passkey.created_at) })}</p>
          <p className="text-sm text-text-3">
            {passkey.last_used_at ? m.passkey_used_on({ when: dateTime(passkey.last_used_at) }) : m.passkey_unused()}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button
            className="btn btn-ghost btn-sm"
            aria-label={m.passkey_rename_of({ name })}
            onClick={() => onAction({ kind: 'rename', passkey })}
          >
            <Pencil className="size-4" aria-hidden />
            {m.passkey_rename()}
          </Button>
          <Button
            className="btn btn-ghost btn-sm"
            aria-label={m.passkey_remove_of({ name })}
            onClick={() => onAction({ kind: 'remove', passkey })}
          >
            <Trash2 className="size-4" aria-hidden />
            {m.passkey_remove()}
          </Button>
        </div>
      </div>
      <Switch
        label={m.passkey_second_step()}
        accessibleName={m.passkey_second_step_of({ name })}
        checked={isSecondStep}
        onChange={() => onAction({ kind: 'second-step', passkey })}
      />
    </li>
  );
}
