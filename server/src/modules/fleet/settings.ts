import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

/** The fastest link of a node: a node that claims more bytes than this carries gets no leases for them. */
export const nodeLinkGbitPerSecond = defineSetting('nodes.linkGbitPerSecond', z.int().check(z.gte(1), z.lte(1000)), 10);
