import type { TraceOutcome } from '@raha/contract/admin/fleet.ts';
import { withQueues } from '../app/open-queues.ts';
import { getNodeByName } from '../modules/fleet/get-node.ts';
import { type TraceOrder, tracePort } from '../modules/provisioning/trace-port.ts';
import { Refusal } from '../platform/refusal.ts';
import { actor, type Commands, type Context, type Result, text, UsageError, wholeNumber } from './context.ts';

/** A complaint about a connection: whose is it (decision 117)? As in the console, with the machine's user as the one who asks. */
export const traceCommands: Commands = {
  'nodes trace': {
    usage:
      '--node de1 --port 40000 --protocol tcp|udp --reason <why> [--remote-port 443] [--ipv6]   (twice an hour; the owner is told)',
    flags: ['node', 'port', 'protocol', 'reason', 'remote-port'],
    switches: ['ipv6'],
    run: trace,
  },
};

/** The others say why there is no answer. */
const answered: readonly TraceOutcome['outcome'][] = ['found', 'unused', 'several'];

async function trace(context: Context): Promise<Result> {
  const { flags } = context;
  const [about, reason] = [readQuestion(flags), text(flags, 'reason')];
  const { id: nodeId, name } = await getNodeByName(context.db, text(flags, 'node'));
  const outcome = await withQueues(context, async (queues) =>
    sayLimit(() => tracePort({ ...context, ...queues }, { actor, nodeId, reason, about })),
  );
  return { data: outcome, lines: linesOf(outcome, name), exitCode: answered.includes(outcome.outcome) ? 0 : 1 };
}

function readQuestion(flags: Context['flags']): TraceOrder['about'] {
  const protocol = text(flags, 'protocol');
  if (protocol !== 'tcp' && protocol !== 'udp') throw new UsageError('--protocol takes tcp or udp.');
  const port = wholeNumber(flags, 'port', 1, 65_535);
  const remote = flags['remote-port'] === undefined ? {} : { remotePort: wholeNumber(flags, 'remote-port', 1, 65_535) };
  return { family: flags.ipv6 ? 6 : 4, protocol, port, ...remote };
}

async function sayLimit<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'traces_used_up') throw error;
    const { count, minutes } = error.details;
    throw new UsageError(`A server may be asked ${count} times an hour. Ask again in ${minutes} minutes.`);
  }
}

function linesOf(outcome: TraceOutcome, name: string): string[] {
  switch (outcome.outcome) {
    case 'found':
      return [`Config ${outcome.config} of account ${outcome.user}, whose owner was told.`];
    case 'unused':
      return ['No config uses this port now. Nothing is kept of what ended earlier.'];
    case 'several':
      return [`${outcome.configs} configs may be meant, so nobody is named. --remote-port may tell them apart.`];
    case 'offline':
      return [`"${name}" is not online and was not asked.`];
    case 'no_answer':
      return [`"${name}" did not answer within ten seconds.`];
    case 'old_agent':
      return [`The agent of "${name}" is of before such questions: run nodes upgrade --name ${name}.`];
    case 'unable':
      return [`"${name}" could not look. If its machine has no conntrack, run the installer there again.`];
  }
}
