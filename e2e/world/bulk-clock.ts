import pg from 'pg';
import type { ControlPlane } from './control-plane.ts';

/** Nobody waits two minutes in a journey: planned bulks begin now. */
export async function beginBulks(controlPlane: ControlPlane): Promise<void> {
  await query(controlPlane, "UPDATE bulk SET starts_at = ordered_at WHERE state = 'planned'");
}

/** They are running, and no worker goes on with them: three users would be done before a key is pressed. */
export async function holdBulks(controlPlane: ControlPlane): Promise<void> {
  await query(controlPlane, "UPDATE bulk SET state = 'running' WHERE state = 'planned'");
}

export async function releaseBulks(controlPlane: ControlPlane): Promise<void> {
  await query(controlPlane, "UPDATE bulk SET starts_at = ordered_at WHERE state IN ('running', 'paused')");
}

async function query(controlPlane: ControlPlane, statement: string): Promise<void> {
  const database = new pg.Client(await controlPlane.databaseUrl());
  await database.connect();
  await database.query(statement);
  await database.end();
}
