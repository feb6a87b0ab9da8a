import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

/** Whether the rule takes out entries that look blocked. Off, it only says so. */
export const blockByRule = defineSetting('entries.blockByRule', z.boolean(), true);
