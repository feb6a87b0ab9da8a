import type { Config } from '@raha/contract/public/configs.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { configFileQuery } from '../../../api/queries.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { isOnDeviceOnly } from './config-file.ts';
import { issueConfig } from './issue-config.ts';
import type { Issued } from './open-dialog.ts';
import { PanelSheet } from './panel-sheet.tsx';

interface ConfirmDialogProps {
  action: 'reset' | 'delete';
  config: Config;
  onClose(): void;
  onIssued(config: Config, issued: Issued): void;
}

/** What cannot be taken back is asked about first; the safe answer has the focus. */
export function ConfirmDialog({ action, config, onClose, onIssued }: ConfirmDialogProps) {
  const queries = useQueryClient();
  const cancel = useRef<HTMLButtonElement>(null);
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const params = { id: config.id };

  const reset = async () => {
    const { config: fresh, issued } = await issueConfig(isOnDeviceOnly(config), (keys) =>
      api.resetConfig({ params, body: config.protocol === 'wireguard' ? keys : {} }),
    );
    queries.removeQueries({ queryKey: configFileQuery(config.id).queryKey });
    toast(m.config_reset());
    onIssued(fresh, issued);
  };
  const remove = async () => {
    await api.deleteConfig({ params });
    toast(m.config_deleted());
    onClose();
  };
  const confirm = async () => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      await (action === 'reset' ? reset() : remove());
      for (const key of ['configs', 'connection']) void queries.invalidateQueries({ queryKey: [key] });
    } catch (error) {
      setProblem(errorSentence(error));
    } finally {
      running.current = false;
      setBusy(false);
    }
  };

  const isReset = action === 'reset';
  return (
    <PanelSheet
      role="alertdialog"
      title={isReset ? m.reset_title() : m.delete_title()}
      description={isReset ? m.reset_question() : m.delete_question()}
      initialFocus={cancel}
      onClose={onClose}
    >
      <p className="rounded-md bg-surface-2 px-4 py-3 font-semibold [overflow-wrap:anywhere]">
        <bdi>{config.name}</bdi>
      </p>
      <FieldNote problem={problem} />
      <div className="flex flex-wrap gap-3 mt-5">
        <Button
          className={`btn flex-1 ${isReset ? 'btn-primary' : 'btn-danger'}`}
          busy={busy}
          onClick={() => void confirm()}
        >
          {isReset ? m.reset_confirm() : m.delete_confirm()}
        </Button>
        <Button ref={cancel} className="btn btn-ghost flex-1" onClick={onClose}>
          {m.cancel()}
        </Button>
      </div>
    </PanelSheet>
  );
}
