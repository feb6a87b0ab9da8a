import type { Protocol } from '@raha/contract/protocols.ts';
import { type ReactNode, useId, useState } from 'react';
import { GuidePictures, type PictureName } from '../../../components/guide-pictures.tsx';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { SegmentedTabs } from '../../../ui/segmented.tsx';
import { findOwnSystem, type System, systems } from './device-system.ts';

interface DeviceGuideProps {
  protocol: Protocol;
  filename: string;
  /** Whose steps are shown at first; otherwise those of the system at hand. */
  system?: System | undefined;
  /** Whether a code to scan is on the screen. */
  hasCode?: boolean;
  /** The button that hands the file over. It stands in the step where it is wanted, or below where another way leads. */
  file(system: System, isStep: boolean): ReactNode;
  /** What the chosen system needs beside the steps. */
  children?: (system: System) => ReactNode;
}

interface Step {
  readonly text: ReactNode;
  /** Whether the file is handed over in this step. */
  readonly hasFile?: true;
  readonly pictures?: readonly PictureName[];
}

const names: Record<System, string> = {
  android: 'Android',
  ios: 'iOS',
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
};

/** How the file gets into use on the user's device; the one they are at is shown first. */
export function DeviceGuide({ protocol, filename, system: first, hasCode = false, file, children }: DeviceGuideProps) {
  const panelId = useId();
  const [system, setSystem] = useState(first ?? findOwnSystem());
  const steps = stepsOf(protocol, system, filename, hasCode);
  return (
    <section>
      <SegmentedTabs<System>
        label={m.guide_system()}
        panelId={panelId}
        segments={systems.map((value) => ({ value, label: names[value] }))}
        value={system}
        onChange={setSystem}
      />
      <div id={panelId} role="tabpanel" className="mt-5">
        <ol className="grid gap-4">
          {steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a fixed list per system
            <li key={index} className="grid grid-cols-[1.75rem_1fr] gap-x-3">
              <span
                className={`grid place-items-center size-7 rounded-full text-xs font-bold ${step.hasFile ? 'bg-primary text-on-primary' : 'bg-accent-soft text-accent'}`}
                aria-hidden
              >
                {number(index + 1)}
              </span>
              <div className="min-w-0 text-sm text-text-2 pt-0.5">
                {step.text}
                {step.hasFile && <div className="mt-2.5 text-text">{file(system, true)}</div>}
                {step.pictures && <GuidePictures names={step.pictures} filename={filename} layout="row" />}
              </div>
            </li>
          ))}
        </ol>
        {!steps.some(({ hasFile }) => hasFile) && <div className="mt-5">{file(system, false)}</div>}
        {children?.(system)}
      </div>
    </section>
  );
}

function stepsOf(protocol: Protocol, system: System, filename: string, hasCode: boolean): Step[] {
  if (protocol === 'ikev2') return ikev2Steps(system);
  if (system === 'linux') return linuxSteps(protocol, filename);
  if (protocol === 'openvpn') {
    const step = { text: m.guide_import_openvpn() };
    return [install('OpenVPN Connect'), fileStep(), step, { text: m.guide_switch_on() }];
  }
  const isPhone = system === 'android' || system === 'ios';
  const app = install('WireGuard');
  if (isPhone && hasCode) return [app, { text: m.guide_scan() }, { text: m.guide_switch_on() }];
  // WireGuard for Android takes no file that is shared with it or opened: it is imported inside the app.
  if (system === 'android') {
    const pictures = ['add', 'import', 'pick', 'switch'] as const;
    return [app, fileStep(), { text: m.guide_import_android(), pictures }, { text: m.guide_switch_on() }];
  }
  const text = system === 'ios' ? m.guide_import_ios() : m.guide_import();
  return [app, fileStep(), { text }, { text: m.guide_switch_on() }];
}

function ikev2Steps(system: System): Step[] {
  const switchOn = { text: m.guide_switch_on() };
  switch (system) {
    case 'android':
      return [install('strongSwan VPN Client'), fileStep(), { text: m.guide_ikev2_android() }, switchOn];
    case 'ios':
      return [
        { text: m.guide_ikev2_ios(), hasFile: true },
        { text: m.guide_ikev2_ios_install(), pictures: ['ios_install', 'ios_vpn'] },
        { text: m.guide_ikev2_vpn_settings() },
      ];
    case 'macos':
      return [
        { text: m.guide_save_and_open(), hasFile: true },
        { text: m.guide_ikev2_macos_install() },
        { text: m.guide_ikev2_vpn_settings() },
      ];
    case 'windows':
      return [fileStep(), { text: m.guide_ikev2_windows() }, { text: m.guide_ikev2_windows_switch_on() }];
    case 'linux':
      return [install('network-manager-strongswan'), { text: m.guide_ikev2_linux() }, switchOn];
  }
}

function linuxSteps(protocol: Protocol, filename: string): Step[] {
  const [app, command] =
    protocol === 'openvpn'
      ? ['openvpn', `sudo openvpn --config ${filename}`]
      : ['wireguard-tools', `sudo wg-quick up ./${filename}`];
  const text = (
    <>
      {m.guide_command()}
      <code
        dir="ltr"
        className="block mt-1.5 rounded-sm bg-surface-2 px-3 py-2 font-code text-xs [overflow-wrap:anywhere]"
      >
        {command}
      </code>
    </>
  );
  return [install(app), fileStep(), { text }];
}

function fileStep(): Step {
  return { text: m.guide_save_file(), hasFile: true };
}

function install(app: string): Step {
  return {
    text: (
      <>
        {m.guide_install()} <bdi dir="ltr">{app}</bdi> {m.guide_install_end()}
      </>
    ),
  };
}
