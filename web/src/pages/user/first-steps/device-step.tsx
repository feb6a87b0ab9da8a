import type { User } from '@raha/contract/public/auth.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Laptop, QrCode, Smartphone } from 'lucide-react';
import { useEffect, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { serversQuery } from '../../../api/queries.ts';
import { LocationName } from '../../../components/location-name.tsx';
import { ProtocolName } from '../../../components/protocol-name.tsx';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { addConfig } from '../configs/add-config.ts';
import { findOwnSystem, isOwnPhone, type System } from '../configs/device-system.ts';
import type { OpenDialog } from '../configs/open-dialog.ts';
import { type DefaultConfig, defaultConfig, freeName } from './default-config.ts';

interface DeviceStepProps {
  me: User;
  configs: readonly Config[];
  onDialog(dialog: OpenDialog): void;
}

/** A config in one press: for this very device, and on a desk for the phone beside it as well. */
export function DeviceStep({ me, configs, onDialog }: DeviceStepProps) {
  const queries = useQueryClient();
  const servers = useQuery(serversQuery);
  const [making, setMaking] = useState<'own' | 'phone'>();
  const [problem, setProblem] = useState<string>();
  // What shows the new config is there when it has been made.
  useEffect(() => void import('../configs/config-dialogs.tsx').catch(() => undefined), []);
  if (servers.isPending) return <div className="skeleton h-32 mt-1" role="status" aria-label={m.loading()} />;

  const own = findOwnSystem();
  const isPhone = isOwnPhone();
  const taken = configs.map(({ name }) => name);
  const first = (me.fullName || me.name).trim().split(/\s+/)[0] ?? '';
  const nameFor = (phone: boolean) => freeName(deviceName(phone, first), taken, number);
  const wanted = defaultConfig(own, servers.data ?? [], nameFor(isPhone));
  // A code to scan is WireGuard's only.
  const phone = isPhone ? undefined : defaultConfig('android', servers.data ?? [], nameFor(true), ['wireguard']);

  const make = async (what: 'own' | 'phone', { name, server, protocol }: DefaultConfig, system: System) => {
    setMaking(what);
    setProblem(undefined);
    try {
      const { config, issued } = await addConfig(queries, { name, serverId: server.id, protocol }, false);
      onDialog({ kind: 'file', config, issued, system });
    } catch (error) {
      setProblem(errorSentence(error, m.config_create_failed()));
    } finally {
      setMaking(undefined);
    }
  };

  if (!wanted) {
    return (
      <>
        <p className="text-sm text-text-2">{m.first_no_server()}</p>
        <Button className="btn btn-ghost btn-sm mt-3" busy={servers.isFetching} onClick={() => void servers.refetch()}>
          {m.try_again()}
        </Button>
      </>
    );
  }
  const Icon = isPhone ? Smartphone : Laptop;
  return (
    <>
      <p className="text-sm text-text-2">{isPhone ? m.first_device_phone() : m.first_device_desk()}</p>
      <div className="flex items-center gap-3 rounded-md bg-surface-2 ps-4 pe-2 py-3 mt-3 sm:max-w-[26rem]">
        <span className="grid place-items-center size-11 shrink-0 rounded-md bg-accent-soft text-accent">
          <Icon className="size-5" aria-hidden />
        </span>
        <p className="flex-1 min-w-0 leading-snug">
          <bdi className="block font-bold [overflow-wrap:anywhere]">{wanted.name}</bdi>
          <span className="text-sm text-text-3">
            <LocationName location={wanted.server.location} /> · <ProtocolName protocol={wanted.protocol} />
          </span>
        </p>
        <Button
          className="btn btn-quiet btn-sm shrink-0 !text-accent"
          aria-label={m.first_change_label()}
          onClick={() => onDialog({ kind: 'create' })}
        >
          {m.first_change()}
        </Button>
      </div>
      <div className="grid gap-2 mt-3 sm:max-w-[26rem]">
        <Button
          className="btn btn-primary"
          busy={making === 'own'}
          aria-disabled={making !== undefined || undefined}
          onClick={() => making === undefined && void make('own', wanted, own)}
        >
          {making === 'own' ? m.creating() : isPhone ? m.first_make_phone() : m.first_make_desk()}
        </Button>
        {phone && (
          <Button
            className="btn btn-ghost"
            busy={making === 'phone'}
            aria-disabled={making !== undefined || undefined}
            onClick={() => making === undefined && void make('phone', phone, 'android')}
          >
            <QrCode className="size-5" aria-hidden />
            {making === 'phone' ? m.creating() : m.first_make_qr()}
          </Button>
        )}
      </div>
      <FieldNote problem={problem} />
    </>
  );
}

function deviceName(phone: boolean, first: string): string {
  if (first === '') return phone ? m.first_name_phone_mine() : m.first_name_desk_mine();
  return phone ? m.first_name_phone({ name: first }) : m.first_name_desk({ name: first });
}
