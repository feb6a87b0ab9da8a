import type { Shell } from '../platform/shell.ts';
import { isAbsent } from './table-reading.ts';
import { type FirewallOptions, meteringChains } from './table-script.ts';

const TIMEOUT_MS = 5_000;

/** Finds out whether the table still has the rules that meter. */
export interface RuleCheck {
  /**
   * False when somebody removed our rules and left the sets. `builds` is the number of the present table. To list rules
   * nft reads the whole table, and starts over whenever something changes meanwhile. So they are listed once per table,
   * and then checked by their handles, in a transaction that the kernel validates and does not commit.
   */
  hasRules(builds: () => number): Promise<boolean>;
}

export function createRuleCheck(shell: Pick<Shell, 'run'>, options: FirewallOptions): RuleCheck {
  /** Commands that fail when a rule of this table is gone. */
  let known: { readonly builds: number; readonly commands: readonly string[] } | undefined;

  async function isValid(commands: readonly string[]): Promise<boolean> {
    try {
      await shell.run('nft', ['-c', '-f', '-'], { input: `${commands.join('\n')}\n`, timeoutMs: TIMEOUT_MS });
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }

  /** Undefined when a rule is missing. */
  async function listRules(): Promise<string[] | undefined> {
    let listed: string;
    try {
      const args = ['-t', '-a', 'list', 'table', 'inet', options.table];
      listed = await shell.run('nft', args, { timeoutMs: TIMEOUT_MS });
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
    return toChecks(listed, options);
  }

  return {
    hasRules: async (builds) => {
      if (known?.builds === builds() && (await isValid(known.commands))) return true;
      const before = builds();
      const commands = await listRules();
      if (commands && before === builds()) known = { builds: before, commands };
      return commands !== undefined;
    },
  };
}

function toChecks(listed: string, options: FirewallOptions): string[] | undefined {
  if (!['@lease', '@up', 'goto raha_meter_up'].every((part) => listed.includes(part))) return undefined;
  const chains = listed.split(/^\tchain /m);
  const commands: string[] = [];
  for (const [chain, count] of meteringChains(options)) {
    const text = chains.find((part) => part.startsWith(`${chain} `)) ?? '';
    const handles = [...text.matchAll(/^\t\t.* # handle (\d+)$/gm)];
    if (handles.length < count) return undefined;
    commands.push(...handles.map(([, handle]) => `add rule inet ${options.table} ${chain} position ${handle} drop`));
  }
  return commands;
}
