import { type Protocol, protocols } from '@raha/contract/protocols.ts';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { Picture, type PictureName } from '../../components/guide-pictures.tsx';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { type System, systems } from '../user/configs/device-system.ts';
import { SAMPLE_FILENAME } from './sample-filename.ts';
import { Slots, slot } from './slots.tsx';

interface Step {
  readonly text: ReactNode;
  readonly picture?: PictureName;
  /** Where the app of this step comes from. */
  readonly app?: App;
  /** Whether the file is saved in this step. */
  readonly hasFile?: true;
  /** To be typed; the script puts the file's name behind it. */
  readonly command?: string;
}

interface App {
  readonly name: string;
  readonly url?: string;
}

const wireguard: Record<System, App> = {
  android: { name: 'WireGuard', url: 'https://play.google.com/store/apps/details?id=com.wireguard.android' },
  ios: { name: 'WireGuard', url: 'https://apps.apple.com/app/wireguard/id1441195209' },
  macos: { name: 'WireGuard', url: 'https://apps.apple.com/app/wireguard/id1451685025' },
  windows: { name: 'WireGuard', url: 'https://www.wireguard.com/install/' },
  linux: { name: 'wireguard-tools' },
};
const openvpn = { name: 'OpenVPN Connect', url: 'https://openvpn.net/client/' };
const strongswan = {
  name: 'strongSwan VPN Client',
  url: 'https://play.google.com/store/apps/details?id=org.strongswan.android',
};

/** The steps for every kind of config on every system; the script shows the one that fits. */
export function Guides() {
  return protocols.flatMap((protocol) =>
    systems.map((system) => (
      <section key={`${protocol} ${system}`} data-guide={`${protocol} ${system}`} aria-label={m.family_steps()} hidden>
        <StepList steps={stepsOf(protocol, system)} />
      </section>
    )),
  );
}

/** How another phone takes the code: only one of WireGuard is small enough for a camera. */
export function ScanGuide() {
  const steps: Step[] = [
    { text: m.family_step_install_there({ app: 'WireGuard' }), picture: 'install' },
    { text: m.family_step_scan(), picture: 'add' },
    { text: m.family_step_switch(), picture: 'switch' },
  ];
  return <StepList steps={steps} />;
}

function StepList({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="grid gap-8 mt-6">
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a fixed list
        <li key={index}>
          {step.picture && (
            <div className="max-w-80 mx-auto mb-3">
              <Picture name={step.picture} filename={SAMPLE_FILENAME} />
            </div>
          )}
          <p>
            <b className="text-accent">{number(index + 1)}.</b> {step.text}
          </p>
          {step.command && (
            <code dir="ltr" className="block mt-3 rounded-md bg-surface-2 px-4 py-3 font-code [overflow-wrap:anywhere]">
              <Slots text={step.command} />
            </code>
          )}
          {step.app?.url && (
            <a
              href={step.app.url}
              target="_blank"
              rel="noopener noreferrer"
              className="btn btn-ghost w-full mt-3 min-h-15 text-lg"
            >
              {m.family_install({ app: step.app.name })}
            </a>
          )}
          {step.hasFile && (
            <a href="#main" data-file="" className="btn btn-primary w-full mt-3 min-h-16 text-lg">
              <Download className="size-6" aria-hidden="true" />
              {m.family_file()}
            </a>
          )}
        </li>
      ))}
    </ol>
  );
}

function stepsOf(protocol: Protocol, system: System): Step[] {
  if (protocol === 'ikev2') return ikev2Steps(system);
  if (system === 'linux') return linuxSteps(protocol);
  const switchOn = { text: m.family_step_switch() };
  if (protocol === 'openvpn') return [install(openvpn), file(), { text: m.guide_import_openvpn() }, switchOn];
  const app = install(wireguard[system]);
  const drawn = { ...switchOn, picture: 'switch' } as const;
  switch (system) {
    // WireGuard for Android takes no file that is shared with it or opened: it is imported inside the app.
    case 'android':
      return [
        { ...app, picture: 'install' },
        file(),
        { text: m.family_step_add({ app: 'WireGuard' }), picture: 'add' },
        { text: m.family_step_import(), picture: 'import' },
        { text: m.family_step_pick(), picture: 'pick' },
        drawn,
      ];
    case 'ios':
      return [{ ...app, picture: 'install' }, file(), { text: m.guide_import_ios() }, drawn];
    default:
      return [app, file(), { text: m.guide_import() }, switchOn];
  }
}

function ikev2Steps(system: System): Step[] {
  switch (system) {
    case 'android':
      return [install(strongswan), file(), { text: m.family_step_strongswan() }, { text: m.family_step_switch() }];
    case 'ios':
      return [
        { text: m.family_step_ios(), hasFile: true },
        { text: m.guide_ikev2_ios_install(), picture: 'ios_install' },
        { text: m.family_step_ios_settings(), picture: 'ios_vpn' },
      ];
    case 'macos':
      return [
        { text: m.guide_save_and_open(), hasFile: true },
        { text: m.guide_ikev2_macos_install() },
        { text: m.family_step_ios_settings() },
      ];
    case 'windows':
      return [file(), { text: m.guide_ikev2_windows() }, { text: m.family_step_windows() }];
    case 'linux':
      return [{ text: m.family_linux_ikev2() }];
  }
}

function linuxSteps(protocol: Protocol): Step[] {
  const [app, command] =
    protocol === 'openvpn'
      ? ['openvpn', `sudo openvpn --config ${slot('filename')}`]
      : [wireguard.linux.name, `sudo wg-quick up ./${slot('filename')}`];
  return [{ text: m.family_step_package({ app }) }, file(), { text: m.guide_command(), command }];
}

function file(): Step {
  return { text: m.family_step_file(), hasFile: true };
}

function install(app: App): Step {
  return { text: m.family_step_install({ app: app.name }), app };
}
