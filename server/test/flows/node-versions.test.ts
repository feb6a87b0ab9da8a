import { NODE_PROTOCOL_VERSION } from '@raha/contract/node/versions.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

let world: TestWorld;
let node: FakeNode;

beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
});
afterAll(() => world.close());

async function report(version: number, options: { signed: boolean }): Promise<{ status: number; body: unknown }> {
  const path = `/node/v${version}/usage-reports`;
  const body = JSON.stringify({ samples: [] });
  const response = await fetch(world.origin + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(options.signed ? { authorization: `Bearer ${node.token('POST', path, body)}` } : {}),
    },
    body,
  });
  return { status: response.status, body: await response.json() };
}

describe('an agent of another protocol version', () => {
  test.each([
    ['older', NODE_PROTOCOL_VERSION - 1, 'node_agent_too_old'],
    ['newer', NODE_PROTOCOL_VERSION + 1, 'node_agent_too_new'],
  ])('%s: refused with a sentence that names both versions and the command', async (_which, version, code) => {
    const answer = await report(version, { signed: true });
    expect(answer).toMatchObject({ status: 409, body: { success: false, code } });
    expect((answer.body as { message: string }).message).toMatch(
      new RegExp(`version ${version} .* version ${NODE_PROTOCOL_VERSION}.*: sh /opt/raha/install.sh$`),
    );
  });

  test('the log names the node once per version, and unsigned callers once in all', async () => {
    const warn = vi.spyOn(world.deps.log, 'warn');
    for (let times = 0; times < 3; times++) {
      await report(40, { signed: true });
      for (const version of [41, 42]) await report(version, { signed: false });
    }
    expect(warn.mock.calls.map(([facts]) => facts)).toEqual([
      { node: expect.stringMatching(/^node-/), agent: 40 },
      { node: undefined, agent: 41 },
    ]);
    warn.mockRestore();
  });

  test('the metric counts it', async () => {
    expect(await (await fetch(`${world.origin}/metrics`)).text()).toMatch(
      /^node_version_refusals_total\{agent="older"\} 1$/m,
    );
  });

  test('an unknown path of this version is a plain 404', async () => {
    expect((await fetch(`${world.origin}/node/v${NODE_PROTOCOL_VERSION}/nothing`)).status).toBe(404);
  });
});
