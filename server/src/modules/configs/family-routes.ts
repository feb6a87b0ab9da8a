import { limits } from '@raha/contract/limits.ts';
import type { familyCalls } from '@raha/contract/public/family.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Handlers } from '../../platform/http/mount.ts';
import type { NetworkLimit } from '../../platform/http/network-limit.ts';
import type { MinuteLimit } from '../../platform/minute-limit.ts';
import { newSecret } from '../../platform/random.ts';
import { requireService, type SignedInCaller } from '../sessions/caller.ts';
import { sendFile } from './kept-file.ts';
import { guestFile, lookAtLink, openLink } from './open-family-link.ts';
import { describeOne } from './routes.ts';
import { changeFamilyCap, endFamily, type ShareDeps, shareConfig } from './share-config.ts';

type FamilyDeps = ShareDeps & {
  readonly networkLimit: NetworkLimit;
  readonly minuteLimit: MinuteLimit;
  readonly secureCookies: boolean;
};

export function familyRoutes(deps: FamilyDeps): Handlers<typeof familyCalls, SignedInCaller, unknown> {
  const take = (request: FastifyRequest) =>
    deps.networkLimit.take(request, 'family', limits.family.callsPerNetworkPerHour);
  return {
    async shareConfig({ caller, params, body }) {
      const user = await requireService(deps, caller.user);
      deps.minuteLimit.take(`family links of ${user.id}`, limits.family.linksPerMinute);
      const token = await shareConfig(deps, user.id, params.id, body);
      return { success: true, data: { config: await describeOne(deps, user, params.id), token } };
    },
    async changeFamilyCap({ caller, params, body }) {
      const user = await requireService(deps, caller.user);
      await changeFamilyCap(deps, user.id, params.id, body.monthly_gb);
      return { success: true, data: { config: await describeOne(deps, user, params.id) } };
    },
    async endFamily({ caller, params }) {
      await endFamily(deps, (await requireService(deps, caller.user)).id, params.id);
      return { success: true };
    },
    async lookAtFamilyLink({ request, reply, body }) {
      take(request);
      const { link, state } = await lookAtLink(deps, body.token, browserOf(request));
      // Before it opens the link, so that the browser can repeat that when the answer is lost.
      if (state === 'new') rememberBrowser(deps, reply, browserOf(request) ?? newSecret());
      const isOver = state === 'used' || state === 'ended' || state === 'expired';
      const { guest_name, sender_name, expires_at } = link;
      const names = isOver ? { guest_name: '', sender_name: '' } : { guest_name, sender_name };
      const remembered = browserOf(request) !== undefined;
      return { success: true, data: { state, remembered, ...names, expires_at: expires_at.toISOString() } };
    },
    async openFamilyLink({ request, reply, body }) {
      take(request);
      const browser = browserOf(request) ?? newSecret();
      const data = await openLink(deps, body.token, browser);
      rememberBrowser(deps, reply, browser);
      return { success: true, data };
    },
    async downloadFamilyFile({ request, reply, params, query }) {
      take(request);
      return sendFile(reply, await guestFile(deps, params.id, browserOf(request), query));
    },
    async showFamilyQr({ request, reply, params }) {
      take(request);
      return sendFile(reply, await guestFile(deps, params.id, browserOf(request), { asQr: true }));
    },
  };
}

const COOKIE = 'family';
const RANDOM = /^[A-Za-z0-9_-]{43}$/;

function browserOf(request: FastifyRequest): string | undefined {
  const cookie = request.cookies[COOKIE];
  return cookie && RANDOM.test(cookie) ? cookie : undefined;
}

/** Only for these calls, unread by scripts, and for as long as a page is shown again. */
function rememberBrowser({ secureCookies: secure }: FamilyDeps, reply: FastifyReply, browser: string): void {
  reply.setCookie(COOKIE, browser, {
    path: '/api/v1/family',
    httpOnly: true,
    sameSite: 'strict',
    secure,
    maxAge: limits.family.shownSeconds,
  });
}
