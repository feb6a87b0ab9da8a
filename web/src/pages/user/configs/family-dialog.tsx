import type { Config } from '@raha/contract/public/configs.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { configsQuery } from '../../../api/queries.ts';
import { useMe } from '../../../components/use-me.ts';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import { AskDialog } from '../shared/ask-dialog.tsx';
import { PanelSheet } from '../shared/panel-sheet.tsx';
import { isOnDeviceOnly } from './config-file.ts';
import { CapForm, FamilyForm } from './family-form.tsx';
import { NewLink } from './family-link.tsx';
import { FamilyState } from './family-state.tsx';

interface FamilyDialogProps {
  config: Config;
  onClose(): void;
}

/** A config for somebody without an account: its one-time link, its monthly limit, and its end (decision 90). */
export function FamilyDialog({ config: opened, onClose }: FamilyDialogProps) {
  const queries = useQueryClient();
  const me = useMe();
  const config = useQuery(configsQuery).data?.find(({ id }) => id === opened.id) ?? opened;
  const [step, setStep] = useState<'state' | 'cap' | 'end'>('state');
  const [token, setToken] = useState<string>();
  const { family } = config;
  const params = { id: config.id };

  const keep = (changed: Config) => {
    queries.setQueryData(configsQuery.queryKey, (configs) =>
      configs?.map((known) => (known.id === changed.id ? changed : known)),
    );
  };
  const share = async (guestName: string, senderName: string, gigabytes: number) => {
    const body = { guest_name: guestName, sender_name: senderName, monthly_gb: gigabytes };
    const { data } = await api.shareConfig({ params, body });
    keep(data.config);
    setToken(data.token);
  };
  const changeCap = async (gigabytes: number) => {
    keep((await api.changeFamilyCap({ params, body: { monthly_gb: gigabytes } })).data.config);
    toast(m.family_cap_changed());
    setStep('state');
  };
  const end = async () => {
    await api.endFamily({ params });
    toast(m.family_end_done());
    for (const key of ['configs', 'connection']) void queries.invalidateQueries({ queryKey: [key] });
    onClose();
  };

  if (family && step === 'end') {
    return (
      <AskDialog
        title={m.family_end_title({ name: family.guest_name })}
        description={m.family_end_question()}
        confirmLabel={m.family_end_confirm()}
        failed={m.family_end_failed()}
        finalFocus={() => document.getElementById('main')}
        onConfirm={end}
        onClose={() => setStep('state')}
      />
    );
  }
  if (family && token !== undefined) {
    return (
      <PanelSheet title={m.family_ready_title({ name: family.guest_name })} onClose={onClose}>
        <NewLink token={token} />
      </PanelSheet>
    );
  }
  if (family) {
    return (
      <PanelSheet
        title={m.family_for({ guest: family.guest_name })}
        description={<bdi>{config.name}</bdi>}
        onClose={onClose}
      >
        {step === 'cap' ? (
          <CapForm gigabytes={family.monthly_bytes / GIGABYTE} onCap={changeCap} />
        ) : (
          <FamilyState
            family={family}
            onCap={() => setStep('cap')}
            onNewLink={() => share(family.guest_name, family.sender_name, family.monthly_bytes / GIGABYTE)}
            onEnd={() => setStep('end')}
          />
        )}
      </PanelSheet>
    );
  }
  return (
    <PanelSheet title={m.family_make()} description={m.family_make_text()} onClose={onClose}>
      {isOnDeviceOnly(config) ? (
        <Note text={m.family_key_on_device()} />
      ) : (
        <>
          {config.last_connected !== null && <Note text={m.family_in_use()} />}
          <FamilyForm senderName={me?.fullName ?? ''} onShare={share} />
        </>
      )}
    </PanelSheet>
  );
}

const GIGABYTE = 1_000_000_000;

function Note({ text }: { text: string }) {
  return (
    <p className="flex items-start gap-2.5 rounded-md bg-spark-soft text-spark-text px-4 py-3 mb-5 text-sm font-medium">
      <TriangleAlert className="size-5 shrink-0 mt-0.5" aria-hidden />
      {text}
    </p>
  );
}
