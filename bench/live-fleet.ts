import type { CDPSession } from 'playwright-core';
import { openBrowser, type Reader } from '../e2e/world/browser.ts';
import { signInToConsole } from '../e2e/world/console-keyboard.ts';
import { createSite, type Site } from '../e2e/world/site.ts';
import { addNode } from '../server/src/modules/fleet/add-node.ts';
import { systemClock } from '../server/src/platform/clock.ts';
import { openDatabase } from '../server/src/platform/database.ts';
import { enrolWith, type FakeNode } from '../server/test/fake-node.ts';
import { type Figure, medianFigure, type Say } from './run.ts';

const NODES = 100;
const ROUNDS = 3;
const SECONDS = 60;
const REPORT_SECONDS = 4;
const OPERATOR = 'operator@raha.example';

/**
 * (o) The live list of a hundred servers, all of which report, in a browser that shows it: what comes over the network, and the processor
 * time of all processes of the browser. Against the same browser with an empty page.
 */
export async function measureLiveFleet(say: Say): Promise<Figure[]> {
  const site = await createSite();
  const fleet = await openFleet(site);
  const reporting = keepReporting(fleet);
  // Browsers know passkeys of localhost, and none of 127.0.0.1.
  const reader = await openBrowser(site.controlPlane.url.replace('127.0.0.1', 'localhost'));
  try {
    await signInToConsole(reader, site, OPERATOR);
    const browser = await reader.context.browser()?.newBrowserCDPSession();
    if (!browser) throw new Error('The browser has no session for its processes.');
    const shares: number[] = [];
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const empty = await look(reader, browser, 'about:blank');
      const shown = await look(reader, browser, '/admin/nodes');
      shares.push(shown.share - empty.share);
      rates.push(shown.rate);
      say(
        `  round ${round + 1}: ${shown.share.toFixed(2)} % of a core with the list, ${empty.share.toFixed(2)} % without, ${shown.rate.toFixed(2)} KB/s`,
      );
    }
    const what = `the live list of ${NODES} servers in a browser`;
    return [
      medianFigure('o', `${what}: received`, 'KB/s', rates, { atMost: 20 }),
      medianFigure('o', `${what}: processor time`, '% of a core', shares, { atMost: 5 }),
    ];
  } finally {
    await reader.close();
    await reporting.stop();
    await site.close();
  }
}

async function openFleet(site: Site): Promise<FakeNode[]> {
  const db = openDatabase(await site.controlPlane.databaseUrl());
  const fleet: FakeNode[] = [];
  try {
    for (let index = 0; index < NODES; index += 1) {
      const order = { country: 'DE', city: 'Frankfurt', address: `198.51.100.${index + 1}` };
      const { token } = await addNode({ db, clock: systemClock }, { name: `frankfurt-${index + 1}`, ...order });
      const node = await enrolWith({ origin: site.controlPlane.url }, token);
      await node.report([]);
      await node.settle();
      fleet.push(node);
    }
  } finally {
    await db.destroy();
  }
  return fleet;
}

/** Each node reports every few seconds, one after the other, with another load each time. */
function keepReporting(fleet: readonly FakeNode[]) {
  let goesOn = true;
  const work = async () => {
    for (let turn = 0; goesOn; turn += 1) {
      const node = fleet[turn % fleet.length] as FakeNode;
      const { health } = node.makeReport([]);
      await node.report([], { health: { ...health, load: (turn % 90) / 100 } });
      await new Promise((resolve) => setTimeout(resolve, (REPORT_SECONDS * 1_000) / fleet.length));
    }
  };
  const done = work();
  return {
    stop: async () => {
      goesOn = false;
      await done;
    },
  };
}

/** Of one page while it is looked at, after its first load. */
async function look(
  { page }: Reader,
  browser: CDPSession,
  address: string,
): Promise<{ readonly share: number; readonly rate: number }> {
  await page.goto(address);
  if (address !== 'about:blank') await page.getByText(`frankfurt-${NODES}`, { exact: true }).waitFor();
  // Until the first load is over.
  await page.waitForTimeout(5_000);
  const network = await page.context().newCDPSession(page);
  let bytes = 0;
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await network.send('Network.enable');
  const [before, begin] = [await processorSeconds(browser), performance.now()];
  await page.waitForTimeout(SECONDS * 1_000);
  const seconds = (performance.now() - begin) / 1_000;
  const share = (((await processorSeconds(browser)) - before) / seconds) * 100;
  await network.detach();
  return { share, rate: bytes / 1_000 / seconds };
}

/** Of all processes of the browser so far. */
async function processorSeconds(browser: CDPSession): Promise<number> {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}
