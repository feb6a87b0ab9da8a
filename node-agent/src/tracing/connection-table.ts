import { readFile } from 'node:fs/promises';
import type { TraceQuestion } from '@raha/contract/node/trace.ts';
import type { Shell } from '../platform/shell.ts';

/** What has carried nothing for so long is not in use now, whatever the kernel still keeps of it. */
const IDLE_SECONDS = 300;
/** Of a connection with data that nobody has acknowledged, the kernel keeps no more than this. */
const UNACKNOWLEDGED_SECONDS = 300;
const LOOK_MS = 5_000;
const ESTABLISHED_TIMEOUT = '/proc/sys/net/netfilter/nf_conntrack_tcp_timeout_established';

/**
 * The inner addresses whose connections leave the node from a port now, by the kernel's table of connections; those that
 * have ended stand there for about two minutes. `conntrack` hands on only the lines of that port, over netlink. Throws without
 * that program. Callers must not log what is thrown: the command's words have the port.
 */
export async function findSources(shell: Shell, question: TraceQuestion): Promise<Set<string>> {
  const { family, protocol, port, remotePort } = question;
  const remote = remotePort === undefined ? [] : ['--orig-port-dst', String(remotePort)];
  const list = ['-L', '-f', `ipv${family}`, '-p', protocol, '--reply-port-dst', String(port), ...remote];
  const keptSeconds = Number(await readFile(ESTABLISHED_TIMEOUT, 'utf8').catch(() => ''));
  return readSources(await shell.run('conntrack', list, { timeoutMs: LOOK_MS }), keptSeconds);
}

/**
 * A line has the addresses and ports of both directions: `tcp 6 7432 ESTABLISHED src=10.64.0.2 dst=… sport=… dport=… src=…
 * dst=<exit> sport=… dport=<port> …`. `keptSeconds`: for how long the kernel keeps a silent TCP connection; 0: not known.
 */
export function readSources(listed: string, keptSeconds: number): Set<string> {
  const sources = new Set<string>();
  for (const line of listed.split('\n')) {
    const [, left, state] = /^\w+\s+\d+\s+(\d+) (?:([A-Z_]+) )?/.exec(line) ?? [];
    const [source] = line.match(/(?<=\bsrc=)\S+/g) ?? [];
    const [, exit] = line.match(/(?<=\bdst=)\S+/g) ?? [];
    if (source === undefined || exit === undefined) continue;
    // It does not leave the node: a question to the node's own resolver, or the portal.
    if (exit === source) continue;
    if (state === 'ESTABLISHED' && isIdle(Number(left), keptSeconds)) continue;
    sources.add(source);
  }
  return sources;
}

/** By what is `left` of the time for which the kernel keeps it: each packet begins that time anew. */
function isIdle(left: number, keptSeconds: number): boolean {
  return left > UNACKNOWLEDGED_SECONDS && keptSeconds - left > IDLE_SECONDS;
}
