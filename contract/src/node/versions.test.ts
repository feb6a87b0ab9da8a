import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Endpoint } from '../endpoint.ts';
import { nodeEndpoints } from './protocol.ts';
import { mountedNodeVersions, NODE_PROTOCOL_VERSION, nodeReleases, nodeVersionsToServe } from './versions.ts';

/** What agents of one version send, and what they have been answered, per endpoint. */
interface Recording {
  readonly endpoint: keyof typeof nodeEndpoints;
  readonly requests: readonly { readonly query?: unknown; readonly body?: unknown }[];
  readonly responses: readonly unknown[];
}

const served = nodeVersionsToServe(nodeReleases, NODE_PROTOCOL_VERSION);
const pathOf = (version: number) => join(import.meta.dirname, `recorded/v${version}.json`);
const read = (version: number) => JSON.parse(readFileSync(pathOf(version), 'utf8')) as Recording[];

test('the agents of the latest release are served beside those of this tree', () => {
  const release = (protocol: number) => ({ release: `r${protocol}`, protocol });
  expect(nodeVersionsToServe([], 2)).toEqual([2]);
  expect(nodeVersionsToServe([release(2)], 2)).toEqual([2]);
  expect(nodeVersionsToServe([release(2)], 3)).toEqual([2, 3]);
  expect(nodeVersionsToServe([release(2), release(3)], 4)).toEqual([3, 4]);
});

describe.each(served)('version %i', (version) => {
  test('is mounted', () => {
    expect(mountedNodeVersions).toContain(version);
  });

  test('has recorded messages for every endpoint', () => {
    expect(existsSync(pathOf(version))).toBe(true);
    expect(read(version).map(({ endpoint }) => endpoint)).toEqual(Object.keys(nodeEndpoints));
  });

  // Equal, not only valid: a field that the schema no longer knows would be dropped without a word. An answer that was
  // recorded has to stay valid, too: an agent of today may meet the server of the last release.
  test.each(read(version))('$endpoint: recorded messages mean the same today', ({ endpoint, requests, responses }) => {
    const { query, body, response } = nodeEndpoints[endpoint] as Endpoint;
    for (const request of requests) {
      if (query) expect(z.safeParse(query as never, request.query)).toMatchObject({ success: true });
      if (body) expect(z.parse(body as never, request.body)).toEqual(request.body);
    }
    for (const answer of responses) expect(z.parse(response as never, answer)).toEqual(answer);
  });
});
