import { expect, test } from 'vitest';
import { createNetwork as createNetworkOfAgent } from '../node-agent/test/network.ts';
import { closeHubForRun, openHubForRun } from './world/control-link.ts';
import { createNetwork } from './world/network.ts';
import { must, run, start, until } from './world/processes.ts';
import { whyNoTunnels } from './world/world.ts';

/** Shows that the monitor listens, and that everything before has been printed. No browser looks at routes. */
const sign = (number: number) => `blackhole 10.252.1.${number}`;

test.skipIf(whyNoTunnels())(
  'networks and runs of the tests that come and go change nothing on this machine that its browsers would notice',
  async () => {
    const first = await createNetwork();
    // Those of the agent's tests have a link on this machine. It must be gone when their test file ends.
    const ofAgent = await createNetworkOfAgent();
    await ofAgent.down();
    const monitor = start('ip', ['monitor', 'link', 'address', 'route'], { logFile: '/dev/null' });
    const showSign = async (number: number) => {
      await until(`the sign ${number}`, async () => {
        await must('ip', ['route', 'replace', ...sign(number).split(' ')]);
        return monitor.output().includes(sign(number));
      });
      await must('ip', ['route', 'del', ...sign(number).split(' ')]);
    };
    try {
      await showSign(1);
      const second = await createNetwork();
      const { stdout } = await run('ip', ['netns', 'exec', second.node, 'ping', '-c', '1', second.controlAddress]);
      expect(stdout).toContain(' 0% packet loss');
      await second.down();
      await first.down();
      // As another run of the tests that ends now, while this one has no world.
      await openHubForRun();
      await closeHubForRun();
      await showSign(2);
    } finally {
      await monitor.kill('SIGTERM');
      await first.down();
    }
    const changes = monitor
      .output()
      .split('\n')
      .filter((line) => line !== '' && !line.includes('blackhole 10.252.1.'));
    expect(changes).toEqual([]);
  },
);
