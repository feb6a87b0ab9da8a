import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

// One file that runs on a machine with Node 20 or newer and nothing else of ours.
const outfile = join(import.meta.dirname, 'dist/raha-agent.mjs');
await build({
  entryPoints: [join(import.meta.dirname, 'src/main.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  legalComments: 'none',
  banner: { js: '#!/usr/bin/env node' },
});
chmodSync(outfile, 0o755);
