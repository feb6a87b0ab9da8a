import type { Config, ProfileSystem } from '@raha/contract/public/configs.ts';
import { findOwnSystem, type System } from './device-system.ts';

const extensions: Record<Config['protocol'], string> = { wireguard: 'conf', openvpn: 'ovpn', ikev2: 'mobileconfig' };
const profileExtensions: Record<ProfileSystem, string> = { apple: 'mobileconfig', android: 'sswan', windows: 'ps1' };

/** A file name that every client takes as the tunnel's name: at most 15 plain characters before the dot. */
export function filenameOf(config: Config, system?: ProfileSystem): string {
  const extension = system ? profileExtensions[system] : extensions[config.protocol];
  return `raha-${config.server.location.country.toLowerCase()}-${config.id.slice(-4)}.${extension}`;
}

/** Which profile of IKEv2 a device takes; Linux has none of its own, and takes the values out of Android's. */
export function profileFor(system: System): ProfileSystem {
  if (system === 'ios' || system === 'macos') return 'apple';
  return system === 'windows' ? 'windows' : 'android';
}

/** What we do not keep is on the user's device only. */
export function isOnDeviceOnly(config: Config): boolean {
  return !config.keepKey;
}

/** Where one press cannot hand the right file over: there is none any more, or none for this device. */
export function needsDialog(config: Config): boolean {
  return isOnDeviceOnly(config) || (config.protocol === 'ikev2' && findOwnSystem() === 'linux');
}
