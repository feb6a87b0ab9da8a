import { toWire } from '@raha/contract/money.ts';
import type { GuestPage, linkStates } from '@raha/contract/public/family.ts';
import { readRows } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getUser } from '../accounts/users.ts';
import { isCapReached } from '../billing/rules.ts';
import { capEnds } from '../metering/caps.ts';
import type { ConfigDeps } from './create-config.ts';
import { decideLink, shownUntil } from './family-rules.ts';
import { type FamilyLink, selectFamilyLink, updateOpenedLink } from './family-tables.ts';
import { type FileOrder, keptFile } from './kept-file.ts';
import { hashOf } from './share-config.ts';
import { configChanged } from './signals.ts';
import { configState } from './state-tables.ts';
import { type ConfigRow, selectOwnConfig } from './tables.ts';

type LinkState = (typeof linkStates)[number];

interface Found {
  readonly link: FamilyLink;
  readonly state: LinkState;
}

/** What a link is for, without using it up: previews of messengers come this far at most. Refuses `family_link_unknown`. */
export async function lookAtLink(deps: ConfigDeps, token: string, browser: string | undefined): Promise<Found> {
  const found = await find(deps, { tokenHash: hashOf(token) }, browser);
  if (!found) throw new Refusal('family_link_unknown');
  return found;
}

/**
 * Opens a link: of several requests at once one wins, and its browser may repeat it for a day. Refuses `family_link_unknown`,
 * `family_link_used`, `family_link_expired`, `family_ended`.
 */
export async function openLink(deps: ConfigDeps, token: string, browser: string): Promise<GuestPage> {
  const first = await lookAtLink(deps, token, browser);
  if (first.state === 'new' && (await updateOpenedLink(deps.db, hashOf(token), hashOf(browser), deps.clock.now()))) {
    // The owner's panel shows it without a reload.
    const { user_id: userId, config_id: configId } = first.link;
    deps.bus.announceSoon(configChanged, { userId, configId });
  }
  const { link, config } = await requireOpen(
    first.state === 'new' ? await lookAtLink(deps, token, browser) : first,
    deps,
  );
  return await describe(deps, link, config);
}

/** The file of a page that this browser has opened. Refuses as `openLink`. */
export async function guestFile(deps: ConfigDeps, id: string, browser: string | undefined, order: FileOrder) {
  const found = await find(deps, { id }, browser);
  if (!found) throw new Refusal('family_link_unknown');
  const { link, config } = await requireOpen(found, deps);
  return await keptFile(deps, named(config, link), order);
}

async function find(
  deps: ConfigDeps,
  by: Parameters<typeof selectFamilyLink>[1],
  browser: string | undefined,
): Promise<Found | undefined> {
  const link = await selectFamilyLink(deps.db, by);
  if (!link) return undefined;
  const state = decideLink(link, browser === undefined ? undefined : hashOf(browser), deps.clock.now());
  // While the owner's account is closed, nothing is shown.
  const isOver = state !== 'ended' && (await getUser(deps.db, link.user_id)).status !== 'active';
  return { link, state: isOver ? 'ended' : state };
}

const refusals = {
  new: 'family_link_used',
  used: 'family_link_used',
  expired: 'family_link_expired',
  ended: 'family_ended',
} as const;

async function requireOpen({ link, state }: Found, deps: ConfigDeps): Promise<{ link: FamilyLink; config: ConfigRow }> {
  if (state !== 'open') throw new Refusal(refusals[state]);
  const config = await selectOwnConfig(deps.db, link.user_id, link.config_id);
  // Its owner has taken the key to a device of their own.
  if (!config || config.private_key_sealed === null) throw new Refusal('family_ended');
  return { link, config };
}

async function describe(deps: ConfigDeps, link: FamilyLink, config: ConfigRow): Promise<GuestPage> {
  const [state] = await readRows(deps.db, configState({ userId: link.user_id, id: config.id }));
  if (!state) throw new Refusal('family_ended');
  const { filename } = await keptFile(deps, named(config, link), {});
  const now = deps.clock.now();
  return {
    id: link.id,
    guest_name: link.guest_name,
    sender_name: link.sender_name,
    protocol: config.protocol,
    country: state.country,
    city: state.city,
    filename,
    monthly_bytes: toWire(state.cap_bytes ?? 0n),
    cap_reached: isCapReached(state.cap_left),
    resets_at: capEnds(now).toISOString(),
    shown_until: shownUntil(link.opened_at ?? now).toISOString(),
    signed: deps.signProfile !== undefined,
  };
}

/** Some files carry a name that the device shows. How the owner calls the config is the owner's affair. */
function named(config: ConfigRow, link: FamilyLink): ConfigRow {
  return { ...config, name: link.guest_name };
}
