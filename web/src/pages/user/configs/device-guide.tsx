import type { Protocol } from '@raha/contract/protocols.ts';
import { type ReactNode, useId, useState } from 'react';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { SegmentedTabs } from '../../../ui/segmented.tsx';
import { findOwnSystem, type System, systems } from './device-system.ts';

interface DeviceGuideProps {
  protocol: Protocol;
  filename: string;
  /** What the chosen system needs beside the steps. */
  children?: (system: System) => ReactNode;
}

const names: Record<System, string> = {
  android: 'Android',
  ios: 'iOS',
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
};

/** How the file gets into use on the user's device; the one they are at is shown first. */
export function DeviceGuide({ protocol, filename, children }: DeviceGuideProps) {
  const panelId = useId();
  const [system, setSystem] = useState(findOwnSystem);
  return (
    <section className="mt-6">
      <SegmentedTabs<System>
        label={m.guide_system()}
        panelId={panelId}
        segments={systems.map((value) => ({ value, label: names[value] }))}
        value={system}
        onChange={setSystem}
      />
      <div id={panelId} role="tabpanel" className="mt-4">
        <ol className="grid gap-2.5 text-sm text-text-2">
          {stepsOf(protocol, system, filename).map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a fixed list per system
            <li key={index} className="flex items-start gap-3">
              <span
                className="grid place-items-center size-6 shrink-0 rounded-full bg-accent-soft text-accent text-xs font-bold"
                aria-hidden
              >
                {number(index + 1)}
              </span>
              <span className="min-w-0">{step}</span>
            </li>
          ))}
        </ol>
        {children?.(system)}
      </div>
    </section>
  );
}

function stepsOf(protocol: Protocol, system: System, filename: string): ReactNode[] {
  if (protocol === 'ikev2') return ikev2Steps(system);
  if (system === 'linux') return linuxSteps(protocol, filename);
  const isOpenvpn = protocol === 'openvpn';
  const canScan = system === 'android' || system === 'ios';
  return [
    <Install key="install" app={isOpenvpn ? 'OpenVPN Connect' : 'WireGuard'} />,
    isOpenvpn ? m.guide_import_openvpn() : canScan ? m.guide_scan() : m.guide_import(),
    m.guide_switch_on(),
  ];
}

function ikev2Steps(system: System): ReactNode[] {
  switch (system) {
    case 'android':
      return [<Install key="install" app="strongSwan VPN Client" />, m.guide_ikev2_android(), m.guide_switch_on()];
    case 'ios':
      return [m.guide_ikev2_ios(), m.guide_ikev2_ios_install(), m.guide_ikev2_vpn_settings()];
    case 'macos':
      return [m.guide_save_and_open(), m.guide_ikev2_macos_install(), m.guide_ikev2_vpn_settings()];
    case 'windows':
      return [m.guide_save_file(), m.guide_ikev2_windows(), m.guide_ikev2_windows_switch_on()];
    case 'linux':
      return [<Install key="install" app="network-manager-strongswan" />, m.guide_ikev2_linux(), m.guide_switch_on()];
  }
}

function linuxSteps(protocol: Protocol, filename: string): ReactNode[] {
  const [app, command] =
    protocol === 'openvpn'
      ? ['openvpn', `sudo openvpn --config ${filename}`]
      : ['wireguard-tools', `sudo wg-quick up ./${filename}`];
  return [
    <Install key="install" app={app} />,
    m.guide_save_file(),
    <>
      {m.guide_command()}
      <code
        dir="ltr"
        className="block mt-1.5 rounded-sm bg-surface-2 px-3 py-2 font-code text-xs [overflow-wrap:anywhere]"
      >
        {command}
      </code>
    </>,
  ];
}

function Install({ app }: { app: string }) {
  return (
    <>
      {m.guide_install()} <bdi dir="ltr">{app}</bdi> {m.guide_install_end()}
    </>
  );
}
