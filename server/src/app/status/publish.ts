import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../platform/config.ts';
import type { Log } from '../../platform/log.ts';
import { newId } from '../../platform/random.ts';
import type { Vault } from '../../platform/sealed.ts';
import { type MeasureDeps, measureStatus } from './measure.ts';
import { renderStatus } from './page.ts';
import { openStatusKey, type Status, WRITTEN_EVERY_MS } from './status.ts';

export type PublishDeps = MeasureDeps & {
  readonly log: Log;
  readonly vault: Vault;
  readonly config: Pick<Config, 'statusDir'>;
};

/** Everything that the directory holds, and that another host serves. */
export const statusFiles = ['index.html', 'en.html', 'status.json'] as const;

/**
 * Writes the status page every half minute, in every server: each writes what it sees, whole files one after the other. If the directory
 * cannot be written the old files stay, and say that they are old. Returns what stops it.
 */
export function publishStatus(deps: PublishDeps): () => Promise<void> {
  let last: Status | undefined;
  let running: Promise<void> = Promise.resolve();
  const round = () => {
    running = writeStatus(deps, last).then(
      (status) => {
        last = status;
      },
      (err: unknown) => deps.log.warn({ err }, 'the status page was not written'),
    );
  };
  round();
  const timer = setInterval(round, WRITTEN_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** `before`: what was measured last. */
export async function writeStatus(deps: PublishDeps, before: Status | undefined): Promise<Status> {
  const key = openStatusKey(deps.vault);
  const status = await measureStatus(deps, before);
  const contents: Readonly<Record<(typeof statusFiles)[number], string>> = {
    'index.html': renderStatus(status, 'fa', key.publicKey),
    'en.html': renderStatus(status, 'en', key.publicKey),
    'status.json': `${JSON.stringify(key.sign(status))}\n`,
  };
  // Another user of the machine may copy it away: nothing in it is secret.
  await mkdir(deps.config.statusDir, { recursive: true, mode: 0o755 });
  for (const name of statusFiles) {
    // Other servers write the same names.
    const part = join(deps.config.statusDir, `.${name}.${newId(deps.clock.now())}`);
    await writeFile(part, contents[name], { mode: 0o644 });
    await rename(part, join(deps.config.statusDir, name));
  }
  return status;
}
