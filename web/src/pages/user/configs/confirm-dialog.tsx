import type { Config } from '@raha/contract/public/configs.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { api } from '../../../api/client.ts';
import { dropFiles } from '../../../api/last-known.ts';
import { configFileQuery } from '../../../api/queries.ts';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import { AskDialog } from '../shared/ask-dialog.tsx';
import { isOnDeviceOnly } from './config-file.ts';
import { issueConfig } from './issue-config.ts';
import type { Issued } from './open-dialog.ts';

interface ConfirmDialogProps {
  action: 'reset' | 'delete';
  config: Config;
  onClose(): void;
  onIssued(config: Config, issued: Issued): void;
}

export function ConfirmDialog({ action, config, onClose, onIssued }: ConfirmDialogProps) {
  const queries = useQueryClient();
  const params = { id: config.id };
  const isGone = useRef(false);

  const reset = async () => {
    const { config: fresh, issued } = await issueConfig(
      config.protocol === 'wireguard' && isOnDeviceOnly(config),
      (keys) => api.resetConfig({ params, body: config.protocol === 'wireguard' ? keys : {} }),
    );
    queries.removeQueries({ queryKey: configFileQuery(config.id).queryKey });
    toast(m.config_reset());
    onIssued(fresh, issued);
  };
  const remove = async () => {
    await api.deleteConfig({ params });
    isGone.current = true;
    toast(m.config_deleted());
    onClose();
  };
  const isReset = action === 'reset';
  const confirm = async () => {
    await (isReset ? reset() : remove());
    dropFiles((id) => id !== config.id);
    for (const key of ['configs', 'connection']) void queries.invalidateQueries({ queryKey: [key] });
  };

  return (
    <AskDialog
      title={isReset ? m.reset_title() : m.delete_title()}
      description={isReset ? m.reset_question() : m.delete_question()}
      confirmLabel={isReset ? m.reset_confirm() : m.delete_confirm()}
      isDanger={!isReset}
      failed={isReset ? m.config_reset_failed() : m.config_delete_failed()}
      finalFocus={() => (isGone.current ? document.getElementById('main') : true)}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p className="rounded-md bg-surface-2 px-4 py-3 font-semibold [overflow-wrap:anywhere]">
        <bdi>{config.name}</bdi>
      </p>
      {config.family && (
        <p className="mt-3 text-sm font-medium text-danger">{m.family_held_by({ name: config.family.guest_name })}</p>
      )}
    </AskDialog>
  );
}
