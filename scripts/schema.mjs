import { ensureInstalled } from './install.mjs';
import { runInForeground } from './run.mjs';

/** `npm run schema`: writes server/schema.sql anew, from the migrations. */
runInForeground(ensureInstalled(), ['server/test/write-schema.ts']);
