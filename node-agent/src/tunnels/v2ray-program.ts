import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import type { Shell } from '../platform/shell.ts';

/** A program that the operator has installed and named. We ship none. */
export interface V2rayProgram {
  readonly path: string;
  readonly version: string;
  command(configPath: string): string[];
}

/** How each version says what it is, and is started. */
const VERSIONS = [
  { ask: '-version', is: /^V2Ray (4\.\S+)/m, words: (config: string) => ['-config', config] },
  { ask: 'version', is: /^V2Ray (5\.\S+)/m, words: (config: string) => ['run', '-config', config] },
] as const;

/** Throws, in a sentence, when there is no such program, others than root could change it, or it is one that we do not know. */
export async function findV2ray(shell: Pick<Shell, 'run'>, path: string): Promise<V2rayProgram> {
  const found = isAbsolute(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  if (!found?.isFile()) throw new Error(`there is no program ${path}`);
  if (!isRootsAlone(realpathSync(path))) throw new Error(`others than root can change ${path}`);
  for (const { ask, is, words } of VERSIONS) {
    const output = await shell.run(path, [ask], { timeoutMs: 5_000 }).catch(() => '');
    const version = is.exec(output)?.[1];
    if (version !== undefined) return { path, version, command: (config) => [path, ...words(config)] };
  }
  throw new Error(`${path} is no V2Ray of version 4 or 5`);
}

/** Neither the file nor a directory on the way can be changed by others, who would become root: it is asked for its version. */
function isRootsAlone(path: string): boolean {
  const { uid, mode } = statSync(path);
  const isOwn = uid === 0 && (mode & 0o022) === 0;
  return isOwn && (path === '/' || isRootsAlone(dirname(path)));
}
