import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { passkeyName, type RegistrationOptions } from '@raha/contract/public/factors.ts';
import { useRef, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { createPasskey } from '../../../api/passkey.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { useForm } from '../../../ui/use-form.ts';
import { FormProblem } from '../../auth/shared/form-problem.tsx';
import ConfirmDialog from '../profile/confirm-dialog.tsx';
import { profileApi } from '../profile/profile-api.ts';
import { PanelSheet } from '../shared/panel-sheet.tsx';
import type { FactorDialogProps } from './factor-action.ts';

/** Confirm first, then create: a creation that was cancelled is tried again without confirming again. */
export function AddPasskeyDialog({ profile, onDone, onClose }: FactorDialogProps) {
  const [options, setOptions] = useState<RegistrationOptions>();
  if (options) return <CreateDialog options={options} onDone={onDone} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={m.passkey_add()}
      description={m.passkey_add_question()}
      confirmLabel={m.proceed()}
      profile={profile}
      onConfirm={async (proof) => setOptions((await profileApi.startPasskey({ body: proof })).data.options)}
      onClose={onClose}
    />
  );
}

function CreateDialog({ options, onDone, onClose }: CreateDialogProps) {
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const form = useForm({ name: passkeyName }, { name: deviceName() }, async ({ name }) => {
    setProblem(undefined);
    try {
      const credential = await createPasskey(options);
      await profileApi.addPasskey({ body: { name, credential } });
      onDone(m.passkey_added());
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.fields.name) return { name: error.fields.name };
      setProblem(errorSentence(error));
      return undefined;
    }
  });
  return (
    <PanelSheet
      title={m.passkey_create_title()}
      description={m.passkey_create_text()}
      initialFocus={input}
      onClose={onClose}
    >
      <form {...form.form} className="grid gap-5">
        {problem && <FormProblem>{problem}</FormProblem>}
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
          {form.busy ? m.passkey_waiting() : m.passkey_create()}
        </Button>
      </form>
    </PanelSheet>
  );
}

interface CreateDialogProps extends Omit<FactorDialogProps, 'profile'> {
  options: RegistrationOptions;
}

const systems: readonly [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'Mac'],
  [/Linux/, 'Linux'],
];

/** A suggestion for the name. */
function deviceName(): string {
  return systems.find(([pattern]) => pattern.test(navigator.userAgent))?.[1] ?? '';
}
