import { expect, test } from 'vitest';
import { closeHubForRun, openHubForRun } from './world/control-link.ts';
import { createNetwork } from './world/network.ts';
import { must, run, start, until } from './world/processes.ts';
import { whyNoTunnels } from './world/world.ts';

/** Shows that the monitor listens, and that everything before has been printed. No browser looks at routes. */
const sign = (number: number) => `blackhole 10.252.1.${number}`;
/** The agent's kernel tests run beside this one, and each has a link on this machine. They never run beside a browser. */
const ofAgentTests = /\brna[a-z0-9]{1,3}c\b/;

test.skipIf(whyNoTunnels())(
  'networks and runs of the tests that come and go change nothing on this machine that its browsers would notice',
  async () => {
    const first = await createNetwork();
    const monitor = start('ip', ['-oneline', 'monitor', 'link', 'address', 'route'], { logFile: '/dev/null' });
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
      .filter((line) => line !== '' && !line.includes('blackhole 10.252.1.') && !ofAgentTests.test(line));
    expect(changes).toEqual([]);
  },
);
