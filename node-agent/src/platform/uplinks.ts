import type { Shell } from './shell.ts';

/** The devices by which this machine reaches the internet: one, or one per address family. Throws when there is none. */
export async function findUplinks(shell: Pick<Shell, 'run'>): Promise<string[]> {
  const routes = await Promise.all(['-4', '-6'].map((family) => shell.run('ip', [family, 'route', 'show', 'default'])));
  const devices = routes.flatMap((listed) => findDevice(listed) ?? []);
  if (devices.length === 0) throw new Error('there is no default route: --uplink is needed');
  return [...new Set(devices)];
}

/** The device of the best route, which is listed first. Routes that reject have another word before `default`. */
function findDevice(listed: string): string | undefined {
  return /^default\b[\s\S]*?\bdev (\S+)/m.exec(listed)?.[1];
}
