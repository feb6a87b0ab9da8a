import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlPlane, createControlPlane } from './control-plane.ts';
import { type Mailbox, outboxMailbox } from './mailbox.ts';
import { copyPreparedCluster } from './prepared-cluster.ts';

/** The product without a VPN server: what visitors and people in their browser need. Neither root nor tunnels. */
export interface Site {
  readonly directory: string;
  readonly controlPlane: ControlPlane;
  readonly mailbox: Mailbox;
  close(): Promise<void>;
}

export async function createSite(
  environment: (url: string, directory: string) => Promise<Readonly<Record<string, string>>> = async () => ({}),
): Promise<Site> {
  const directory = mkdtempSync(join(tmpdir(), 'raha-site-'));
  // PostgreSQL's own user has to pass through.
  chmodSync(directory, 0o711);
  const dataDir = join(directory, 'data');
  await copyPreparedCluster(dataDir);
  const controlPlane = await createControlPlane(dataDir, (url) => environment(url, directory));
  await controlPlane.start();
  return {
    directory,
    controlPlane,
    mailbox: outboxMailbox(dataDir),
    async close() {
      await controlPlane.dispose();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
