import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Clock, secondsBetween } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import { Refusal } from '../../platform/refusal.ts';
import { markOld, policy } from './page.ts';
import { statusFiles } from './publish.ts';
import { OLD_AFTER_SECONDS } from './status.ts';

/** `/status/`: the files as they were written, without the database. `/status` leads there, so that the files find each other. */
export function serveStatus(
  app: FastifyInstance,
  { config, clock }: { readonly config: Pick<Config, 'statusDir'>; readonly clock: Clock },
): void {
  // The router takes both for one.
  app.get('/status', async (request, reply) =>
    /^\/status\/(\?|$)/.test(request.url) ? send(reply, 'index.html') : reply.redirect('/status/', 302),
  );
  for (const name of statusFiles) app.get(`/status/${name}`, (_request, reply) => send(reply, name));

  async function send(reply: FastifyReply, name: (typeof statusFiles)[number]): Promise<FastifyReply> {
    const text = await readFile(join(config.statusDir, name), 'utf8').catch(() => undefined);
    if (text === undefined) throw new Refusal('unavailable');
    reply.header('cache-control', 'no-cache');
    if (name === 'status.json') return reply.type('application/json; charset=utf-8').send(text);
    reply.header('content-security-policy', `${policy}; frame-ancestors 'none'`).type('text/html; charset=utf-8');
    return reply.send(isOld(text, clock.now()) ? markOld(text) : text);
  }
}

function isOld(page: string, now: Date): boolean {
  const written = /data-written="([^"]+)"/.exec(page)?.[1];
  return written === undefined || secondsBetween(new Date(written), now) > OLD_AFTER_SECONDS;
}
