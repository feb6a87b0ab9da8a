import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createTurns } from '../platform/mutex.ts';
import { CommandFailed, type Shell } from '../platform/shell.ts';

/** Applies nftables commands; all of one call take effect together or not at all. */
export interface NftSession {
  apply(commands: readonly string[]): Promise<void>;
  close(): void;
}

/** Above this many commands a process of their own is faster than a line of a conversation. */
const MAX_LINE_COMMANDS = 200;
const MAX_LINE_LENGTH = 32_768;
/** A session is renewed after this many lines, so that whatever nft keeps in memory is bounded. */
const MAX_SESSION_LINES = 20_000;
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * A kept-open `nft -i`. Changing a quota through it takes 0.2 ms where a process per change takes 15 ms: not the change
 * is slow, but closing the netlink socket after it, which waits for an RCU grace period (nf_tables, `nft_rcv_nl_event`).
 *
 * nft -i says nothing when a command succeeds. Each line is therefore followed by a line that is a syntax error of our
 * own choosing: when nft complains about that one, everything it had to say about ours has been said.
 */
export function openNftSession(shell: Shell): NftSession {
  let conversation: Conversation | undefined;
  let usable = true;
  const inTurn = createTurns();

  async function applyNow(commands: readonly string[]): Promise<void> {
    const isLong = commands.length > MAX_LINE_COMMANDS || commands.join('; ').length > MAX_LINE_LENGTH;
    if (!usable || isLong) {
      await shell.run('nft', ['-f', '-'], { input: `${commands.join('\n')}\n` });
      return;
    }
    if (conversation?.isWornOut()) {
      conversation.end();
      conversation = undefined;
    }
    try {
      conversation ??= startConversation(shell);
      await conversation.say(commands.join('; '));
    } catch (error) {
      if (error instanceof CommandFailed) throw error;
      // An nft without interactive mode, or one that was killed: the plain way gives the same result.
      usable = conversation?.hasAnswered() ?? false;
      conversation = undefined;
      await shell.run('nft', ['-f', '-'], { input: `${commands.join('\n')}\n` });
    }
  }

  return {
    apply: (commands) => inTurn(() => applyNow(commands)),
    close: () => conversation?.end(),
  };
}

interface Conversation {
  say(line: string): Promise<void>;
  isWornOut(): boolean;
  hasAnswered(): boolean;
  end(): void;
}

class ConversationEnded extends Error {
  override readonly name = 'ConversationEnded';
}

function startConversation(shell: Shell): Conversation {
  const child: ChildProcessWithoutNullStreams = shell.converse('nft', ['-i']);
  let heard = '';
  let lines = 0;
  let answered = false;
  let ended = false;
  let waiting: { mark: string; finish(error?: Error): void } | undefined;

  const stop = () => {
    ended = true;
    waiting?.finish(new ConversationEnded('nft -i ended'));
  };
  child.on('error', stop);
  child.on('close', stop);
  child.stdin.on('error', stop);
  child.stdout.resume();
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    heard += text;
    if (!waiting || !heard.includes(`${waiting.mark}\n`)) return;
    const complaint = heard.slice(0, heard.indexOf(waiting.mark));
    heard = '';
    answered = true;
    waiting.finish(isOwnComplaint(complaint) ? undefined : new CommandFailed('nft', complaint, undefined));
  });

  return {
    say: (line) =>
      new Promise((resolve, reject) => {
        if (ended) {
          reject(new ConversationEnded('nft -i ended'));
          return;
        }
        const mark = `said_${++lines}`;
        const timer = setTimeout(() => {
          child.kill('SIGKILL');
          stop();
        }, ANSWER_TIMEOUT_MS);
        waiting = {
          mark,
          finish: (error) => {
            clearTimeout(timer);
            waiting = undefined;
            if (error) reject(error);
            else resolve();
          },
        };
        child.stdin.write(`${line}\n${mark}\n`);
      }),
    isWornOut: () => ended || lines >= MAX_SESSION_LINES,
    hasAnswered: () => answered,
    end: () => {
      child.stdin.end();
    },
  };
}

/** What is left of the previous mark's caret line, and the head of the complaint about this mark. */
function isOwnComplaint(text: string): boolean {
  const rest = text.replace(/^\s*\^*\s*/, '');
  return /^(Error: syntax error, unexpected [^\n]*\n)?$/.test(rest);
}
