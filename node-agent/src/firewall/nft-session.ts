import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createMutex } from '../platform/mutex.ts';
import { CommandFailed, type Shell } from '../platform/shell.ts';

/** Applies nftables commands; all of one call take effect together or not at all. */
export interface NftSession {
  apply(commands: readonly string[]): Promise<void>;
  close(): void;
}

/** With more commands than this a separate process is faster than a line of the session. */
const MAX_LINE_COMMANDS = 200;
const MAX_LINE_LENGTH = 32_768;
/** The process is renewed after this many lines, which bounds its memory. */
const MAX_SESSION_LINES = 20_000;
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * A long-lived `nft -i`. It changes a quota in 0.2 ms; a process per change takes 15 ms. The slow part is not the change
 * but closing the netlink socket after it, which waits for an RCU grace period (nf_tables, `nft_rcv_nl_event`).
 *
 * nft -i prints nothing when a command succeeds. Each line is therefore followed by a line with a syntax error of our
 * own: when nft complains about that one, it has printed everything about ours.
 */
export function openNftSession(shell: Shell): NftSession {
  let process: NftProcess | undefined;
  let isUsable = true;
  const mutex = createMutex();

  async function applyNow(commands: readonly string[]): Promise<void> {
    const isLong = commands.length > MAX_LINE_COMMANDS || commands.join('; ').length > MAX_LINE_LENGTH;
    if (!isUsable || isLong) {
      await shell.run('nft', ['-f', '-'], { input: `${commands.join('\n')}\n` });
      return;
    }
    if (process?.isWornOut()) {
      process.end();
      process = undefined;
    }
    try {
      process ??= startNft(shell);
      await process.execute(commands.join('; '));
    } catch (error) {
      if (error instanceof CommandFailed) throw error;
      // An nft without interactive mode, or one that was killed: a separate process gives the same result.
      isUsable = process?.hasAnswered() ?? false;
      process = undefined;
      await shell.run('nft', ['-f', '-'], { input: `${commands.join('\n')}\n` });
    }
  }

  return {
    apply: (commands) => mutex.runExclusive(() => applyNow(commands)),
    close: () => process?.end(),
  };
}

interface NftProcess {
  execute(line: string): Promise<void>;
  isWornOut(): boolean;
  hasAnswered(): boolean;
  end(): void;
}

class NftEnded extends Error {
  override readonly name = 'NftEnded';
}

function startNft(shell: Shell): NftProcess {
  const child: ChildProcessWithoutNullStreams = shell.openPipe('nft', ['-i']);
  let output = '';
  let lines = 0;
  let hasAnswered = false;
  let hasEnded = false;
  let current: { mark: string; finish(error?: Error): void } | undefined;

  const stop = () => {
    hasEnded = true;
    current?.finish(new NftEnded('nft -i ended'));
  };
  child.on('error', stop);
  child.on('close', stop);
  child.stdin.on('error', stop);
  child.stdout.resume();
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    output += text;
    if (!current || !output.includes(`${current.mark}\n`)) return;
    const complaint = output.slice(0, output.indexOf(current.mark));
    output = '';
    hasAnswered = true;
    current.finish(isAboutMark(complaint) ? undefined : new CommandFailed('nft', complaint, undefined));
  });

  return {
    execute: (line) =>
      new Promise((resolve, reject) => {
        if (hasEnded) {
          reject(new NftEnded('nft -i ended'));
          return;
        }
        const mark = `mark_${++lines}`;
        const timer = setTimeout(() => {
          child.kill('SIGKILL');
          stop();
        }, ANSWER_TIMEOUT_MS);
        current = {
          mark,
          finish: (error) => {
            clearTimeout(timer);
            current = undefined;
            if (error) reject(error);
            else resolve();
          },
        };
        child.stdin.write(`${line}\n${mark}\n`);
      }),
    isWornOut: () => hasEnded || lines >= MAX_SESSION_LINES,
    hasAnswered: () => hasAnswered,
    end: () => {
      child.stdin.end();
    },
  };
}

/** The rest of the previous mark's caret line, and the beginning of the complaint about this mark. */
function isAboutMark(text: string): boolean {
  const rest = text.replace(/^\s*\^*\s*/, '');
  return /^(Error: syntax error, unexpected [^\n]*\n)?$/.test(rest);
}
