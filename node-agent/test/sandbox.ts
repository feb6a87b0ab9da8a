import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const unitFile = join(import.meta.dirname, '../install/raha-agent.service');

/** The settings of the agent's systemd unit, by name. */
export function readUnit(path = unitFile): Map<string, string> {
  const settings = readFileSync(path, 'utf8').matchAll(/^([A-Za-z]+)=(.*)$/gm);
  return new Map([...settings].map(([, name = '', value = '']) => [name, value]));
}

/** Before a command: runs it with the capabilities of the unit and no more, as systemd would. */
export function unitCapabilities(): string[] {
  const kept = (readUnit().get('CapabilityBoundingSet') ?? '').split(' ');
  const set = ['-all', ...kept.map((name) => `+${name.replace('CAP_', '').toLowerCase()}`)].join(',');
  return ['setpriv', `--bounding-set=${set}`, '--inh-caps=-all', '--no-new-privs'];
}
