/**
 * Versions of the node protocol; the number is in the path of every call. A change that an agent of the last release
 * would not understand, or whose messages the server would no longer understand, takes a new number. Anything else is an
 * optional field and keeps the number.
 *
 * From the first release on, a server goes on serving the agents of one release back: nodes are upgraded through the
 * protocol, after the server. `versions.test.ts` holds this rule against the messages that each release recorded
 * (decision 0040).
 */
export const NODE_PROTOCOL_VERSION = 2;

/** A release of the product, and the version of the node protocol that its agent uses. */
export interface NodeRelease {
  readonly release: string;
  readonly protocol: number;
}

/** Oldest first. Empty: nothing has been released yet. */
export const nodeReleases: readonly NodeRelease[] = [];

/** Versions that this server answers; calls to any other are refused. */
export const mountedNodeVersions: readonly number[] = [NODE_PROTOCOL_VERSION];

/** Versions that a server must answer which comes after these releases: its own, and that of the latest release. */
export function nodeVersionsToServe(releases: readonly NodeRelease[], current: number): number[] {
  const latest = releases.at(-1);
  return latest ? [...new Set([latest.protocol, current])] : [current];
}
