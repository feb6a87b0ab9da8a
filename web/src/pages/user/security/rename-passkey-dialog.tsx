import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { type Passkey, passkeyName } from '@raha/contract/public/factors.ts';
import { useRef } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { useForm } from '../../../ui/use-form.ts';
import { profileApi } from '../profile/profile-api.ts';
import { PanelSheet } from '../shared/panel-sheet.tsx';
import type { FactorDialogProps } from './factor-action.ts';

export function RenamePasskeyDialog({ passkey, onDone, onClose }: FactorDialogProps & { passkey: Passkey }) {
  const input = useRef<HTMLInputElement>(null);
  const form = useForm({ name: passkeyName }, { name: passkey.name }, async ({ name }) => {
    try {
      await profileApi.renamePasskey({ params: { id: passkey.id }, body: { name } });
      onDone(m.passkey_renamed());
      return undefined;
    } catch (error) {
      return { name: (error instanceof ApiError && error.fields.name) || errorSentence(error) };
    }
  });
  return (
    <PanelSheet title={m.passkey_rename()} initialFocus={input} onClose={onClose}>
      <form {...form.form} className="grid gap-5">
        <TextField
          {...form.field('name')}
          ref={input}
          label={m.passkey_name_label()}
          dir="auto"
          autoComplete="off"
          maxLength={limits.factors.nameMax * 2}
          problem={fieldSentence(form.problems.name)}
          onText={(value) => form.set('name', value)}
        />
        <Button type="submit" busy={form.busy} className="btn btn-primary w-full">
          {m.save()}
        </Button>
      </form>
    </PanelSheet>
  );
}
