import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@raha/contract/client.ts';
import { addresses } from '../e2e/world/network.ts';
import { until } from '../e2e/world/processes.ts';
import { activate, payAtTestBank, signUp } from '../e2e/world/user.ts';
import { createWorld, waitForServer } from '../e2e/world/world.ts';
import type { Figure, Say } from './run.ts';
import { median, percentile } from './statistics.ts';

const TOP_UPS = 50;
/** 10,000,000 toman per GB: the smallest charge buys one megabyte, which is used up at once. */
const SETTINGS = { 'trial.passwordlessDays': 0, 'price.usdCentsPerGb': 10_000 };

/**
 * (d) Restore after a top-up: from the request that credits the payment (so the figure includes the bank's verification and
 * the commit) to the first echo reply through the tunnel of an untouched device.
 */
export async function measureRestore(say: Say): Promise<Figure[]> {
  const world = await createWorld({ environment: { USD_RATE_TOMAN: '100000' }, settings: SETTINGS });
  try {
    const serverId = await waitForServer(world);
    const user = await signUp(world.controlPlane.url, world.mailbox, 'dana@example.com', 'Dana');
    await activate(world.controlPlane, user.api, 1);
    const { data } = await user.api.createConfig({ body: { name: 'bench', serverId, keepKey: true } });
    await until('the config', async () => {
      const { config } = (await user.api.getConfig({ params: { id: data.config.id } })).data;
      return config.applied;
    });
    await world.device.up(data.file);
    await until('a page through the tunnel', () => world.device.seenAs());

    const spend = async () => {
      while ((await world.device.download(50_000_000, { rate: '8M', stallSeconds: 1 })).bytes > 0);
    };
    const echoes = startEchoes(world.network.client);
    const times: number[] = [];
    try {
      for (let n = 0; n < TOP_UPS; n++) {
        await spend();
        const started = await patiently(() =>
          user.api.chargeWallet({ body: { amount: 10_000, payment_method: 'zarinpal' } }),
        );
        await payAtTestBank(started.payment_url);
        const begin = performance.now();
        const echo = echoes.next();
        await user.api.verifyCharge({ body: { transaction_id: started.transaction_id } });
        times.push((await echo) - begin);
      }
    } finally {
      echoes.stop();
    }
    say(`  ${TOP_UPS} top-ups: median ${median(times).toFixed(0)} ms, p99 ${percentile(times, 99).toFixed(0)} ms`);
    return [
      { part: 'd', what: 'top-up → first reply, p50', value: median(times), unit: 'ms', runs: times },
      {
        part: 'd',
        what: 'top-up → first reply, p99',
        value: percentile(times, 99),
        unit: 'ms',
        aim: { atMost: 1_000 },
      },
    ];
  } finally {
    await world.close();
  }
}

/** An account starts ten payments a minute (decision 47); the waiting is not measured. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'too_many_requests') throw error;
      await sleep((error.retryAfterSeconds ?? 1) * 1_000);
    }
  }
}

/** Sends an echo request every ten milliseconds, and reports replies. */
function startEchoes(namespace: string): { next(): Promise<number>; stop(): void } {
  const ping = ['ping', '-n', '-i', '0.01', addresses.web4];
  const child = spawn('ip', ['netns', 'exec', namespace, ...ping], { stdio: ['ignore', 'pipe', 'ignore'] });
  let waiting: ((at: number) => void) | undefined;
  createInterface(child.stdout).on('line', (line) => {
    if (!line.includes('bytes from')) return;
    waiting?.(performance.now());
    waiting = undefined;
  });
  return {
    next: () =>
      new Promise((done) => {
        waiting = done;
      }),
    stop: () => child.kill('SIGTERM'),
  };
}
