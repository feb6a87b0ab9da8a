import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import type { Protocol } from '@raha/contract/protocols.ts';
import { type Config, configName, type Server } from '@raha/contract/public/configs.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { serversQuery } from '../../../api/queries.ts';
import { FailureCard } from '../../../components/failure-card.tsx';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote, TextField } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { useForm } from '../../../ui/use-form.ts';
import { PanelSheet } from '../shared/panel-sheet.tsx';
import { ReachAdvice } from '../shared/reach-advice.tsx';
import { addConfig } from './add-config.ts';
import { offeredServers } from './best-server.ts';
import { KeyChoice } from './key-choice.tsx';
import type { Issued } from './open-dialog.ts';
import { ProtocolChoice } from './protocol-choice.tsx';
import { ServerPicker } from './server-picker.tsx';

interface CreateDialogProps {
  /** The server that is chosen at first; the best one otherwise. */
  serverId?: string | undefined;
  onClose(): void;
  onIssued(config: Config, issued: Issued): void;
}

export function CreateDialog({ serverId, onClose, onIssued }: CreateDialogProps) {
  const queries = useQueryClient();
  const nameInput = useRef<HTMLInputElement>(null);
  const servers = useQuery({ ...serversQuery, staleTime: 0 });
  const offered = useMemo(() => offeredServers(servers.data ?? []), [servers.data]);
  const [chosenId, setChosenId] = useState(serverId);
  const [requested, setRequested] = useState<Protocol>('wireguard');
  const [deviceOnly, setDeviceOnly] = useState(false);
  const [problem, setProblem] = useState<string>();

  const server = chooseFrom(offered, chosenId);
  const protocol = protocolOf(server, requested);
  // The best server is chosen when the list arrives; news about loads must not move the choice afterwards.
  useEffect(() => setChosenId((chosen) => chosen ?? offered[0]?.id), [offered]);

  const form = useForm({ name: configName }, { name: '' }, async ({ name }) => {
    setProblem(undefined);
    try {
      // Submitted before the list of servers has loaded: wait for it and take the best server.
      const target = server ?? chooseFrom(offeredServers(await queries.fetchQuery(serversQuery)), chosenId);
      const selected = protocolOf(target, requested);
      if (!target || !selected) {
        setProblem(fieldSentence('fill_all'));
        return undefined;
      }
      const order = { name, serverId: target.id, protocol: selected };
      const { config, issued } = await addConfig(queries, order, deviceOnly);
      toast(m.config_created());
      onIssued(config, issued);
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'config_name_taken') return { name: error.message };
      if (error instanceof ApiError && error.fields.name) return { name: error.fields.name };
      setProblem(errorSentence(error, m.config_create_failed()));
      return undefined;
    }
  });

  return (
    <PanelSheet wide title={m.create_title()} initialFocus={nameInput} onClose={onClose}>
      <form {...form.form} className="grid gap-6">
        <TextField
          {...form.field('name')}
          ref={nameInput}
          label={m.config_name()}
          placeholder={m.config_name_example()}
          dir="auto"
          autoComplete="off"
          maxLength={limits.config.nameMax * 2}
          problem={fieldSentence(form.problems.name)}
          onText={(value) => form.set('name', value)}
        />
        {servers.isError && !servers.data ? (
          <FailureCard
            title={m.servers_failed()}
            error={servers.error}
            busy={servers.isFetching}
            onRetry={() => void servers.refetch()}
          />
        ) : (
          <ServerPicker servers={servers.data && offered} value={server?.id} onChange={setChosenId} />
        )}
        {server && protocol && <ProtocolChoice offered={server.protocols} value={protocol} onChange={setRequested} />}
        {server && <ReachAdvice servers={[server]} />}
        {protocol === 'wireguard' && <KeyChoice deviceOnly={deviceOnly} onChange={setDeviceOnly} />}
        <div className="sticky bottom-0 -mx-5 sm:-mx-7 -mb-5 sm:-mb-7 px-5 sm:px-7 py-4 bg-surface border-t border-line">
          <Button type="submit" busy={form.busy} className="btn btn-primary w-full">
            {form.busy ? m.creating() : m.create_config()}
          </Button>
          <FieldNote problem={problem} />
        </div>
      </form>
    </PanelSheet>
  );
}

function chooseFrom(offered: readonly Server[], chosenId: string | undefined): Server | undefined {
  return offered.find(({ id }) => id === chosenId) ?? offered[0];
}

function protocolOf(server: Server | undefined, requested: Protocol): Protocol | undefined {
  return server?.protocols.includes(requested) ? requested : server?.protocols[0];
}
