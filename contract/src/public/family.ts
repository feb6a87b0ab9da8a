import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { cleanName } from '../persian.ts';
import { protocols } from '../protocols.ts';
import { bytes, done, id, idParams, instant, wrapped } from '../shapes.ts';
import { config, profileSystems } from './configs.ts';

/** A config that its owner shares with somebody who has no account: a one-time link, and a monthly cap. */
const { family } = limits;

const shownName = (min: number) =>
  z.pipe(
    z.pipe(z.string('fill_all').check(z.maxLength(10_000, 'too_long')), z.transform(cleanName)),
    z.string().check(z.minLength(min, 'fill_all'), z.maxLength(family.nameMax, 'too_long')),
  );
/** How the owner calls the guest, and is called, on the guest's page. */
export const guestName = shownName(1);
export const senderName = shownName(0);
const monthlyGb = z.int('invalid').check(z.gte(1, 'invalid'), z.lte(family.maxGb, 'invalid'));

/** The secret of a link: 256 bits. It stands behind the # of the address, so that no log and no preview gets it. */
const token = z.string('invalid').check(z.regex(/^[A-Za-z0-9_-]{43}$/, 'invalid'));

/** `open`: opened by this browser a short time ago. `used`: opened, and this is not the browser, or the time is over. */
export const linkStates = ['new', 'open', 'used', 'expired', 'ended'] as const;

const linkView = z.object({
  state: z.enum(linkStates),
  /** Whether this browser has kept the cookie of an earlier look; one that keeps none must not open the link. */
  remembered: z.boolean(),
  /** As the owner wrote them for this page; empty once it is over. */
  guest_name: z.string(),
  sender_name: z.string(),
  /** Until when the link can be opened. */
  expires_at: instant,
});

export type FamilyLinkView = z.output<typeof linkView>;

export const guestPage = z.object({
  /** Of the page; its file and picture are called by it. */
  id,
  guest_name: z.string(),
  sender_name: z.string(),
  protocol: z.enum(protocols),
  country: z.string(),
  city: z.string(),
  filename: z.string(),
  monthly_bytes: bytes,
  /** Whether this month's bytes are used up. */
  cap_reached: z.boolean(),
  /** When the next month begins. */
  resets_at: instant,
  /** Until when this browser can open the page again. */
  shown_until: instant,
  /** Whether Apple's systems show who signed the profile. */
  signed: z.boolean(),
});
export type GuestPage = z.output<typeof guestPage>;

export const familyCalls = {
  shareConfig: defineEndpoint({
    method: 'POST',
    path: '/user/configs/{id}/family',
    caller: 'user',
    summary: 'Make a one-time link to a config for somebody without an account; an earlier link stops working',
    status: 201,
    params: idParams,
    body: z.strictObject({
      guest_name: guestName,
      sender_name: z._default(senderName, ''),
      monthly_gb: monthlyGb,
    }),
    response: wrapped(
      z.object({
        config,
        /** Shown once; the server keeps its hash. */
        token,
      }),
    ),
  }),
  changeFamilyCap: defineEndpoint({
    method: 'PUT',
    path: '/user/configs/{id}/family',
    caller: 'user',
    summary: 'Change the monthly cap of a shared config',
    params: idParams,
    body: z.strictObject({ monthly_gb: monthlyGb }),
    response: wrapped(z.object({ config })),
  }),
  endFamily: defineEndpoint({
    method: 'DELETE',
    path: '/user/configs/{id}/family',
    caller: 'user',
    summary: 'End the sharing: the link stops working, and the config is deleted on its server',
    params: idParams,
    response: done,
  }),
  lookAtFamilyLink: defineEndpoint({
    method: 'POST',
    path: '/family/look',
    caller: 'public',
    summary: 'What a link is for; that does not use it up',
    body: z.strictObject({ token }),
    response: wrapped(linkView),
  }),
  openFamilyLink: defineEndpoint({
    method: 'POST',
    path: '/family/open',
    caller: 'public',
    summary: 'Open a link, once; the same browser may repeat it for a day',
    body: z.strictObject({ token }),
    response: wrapped(guestPage),
  }),
  downloadFamilyFile: defineEndpoint({
    method: 'GET',
    path: '/family/{id}/file',
    caller: 'public',
    summary: 'The client file of a page that this browser has opened',
    params: idParams,
    query: z.object({ system: z.optional(z.enum(profileSystems, 'invalid')) }),
    produces: 'text/plain',
  }),
  showFamilyQr: defineEndpoint({
    method: 'GET',
    path: '/family/{id}/qr',
    caller: 'public',
    summary: 'The same as a QR code (SVG); WireGuard only, others do not fit and are not found',
    params: idParams,
    produces: 'image/svg+xml',
  }),
};
