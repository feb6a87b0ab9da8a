import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { type Config, configName } from '@raha/contract/public/configs.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { configsQuery } from '../../../api/queries.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { useForm } from '../../../ui/use-form.ts';
import { PanelSheet } from '../shared/panel-sheet.tsx';

export function RenameDialog({ config, onClose }: { config: Config; onClose(): void }) {
  const queries = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const form = useForm({ name: configName }, { name: config.name }, async ({ name }) => {
    try {
      const { data } = await api.renameConfig({ params: { id: config.id }, body: { name } });
      queries.setQueryData(configsQuery.queryKey, (configs) =>
        configs?.map((known) => (known.id === config.id ? data.config : known)),
      );
      onClose();
      return undefined;
    } catch (error) {
      return { name: (error instanceof ApiError && error.fields.name) || errorSentence(error) };
    }
  });
  return (
    <PanelSheet title={m.rename_title()} initialFocus={input} onClose={onClose}>
      <form {...form.form} className="grid gap-5">
        <TextField
          {...form.field('name')}
          ref={input}
          label={m.config_name()}
          dir="auto"
          autoComplete="off"
          maxLength={limits.config.nameMax * 2}
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
