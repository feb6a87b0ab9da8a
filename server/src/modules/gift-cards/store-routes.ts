import type { stores } from '@raha/contract/public/stores.ts';
import type { FastifyRequest } from 'fastify';
import type { Handlers } from '../../platform/http/mount.ts';
import { rawBodyOf } from '../../platform/http/raw-body.ts';
import { requireActive, type SignedInCaller } from '../sessions/caller.ts';
import { getVisit, receiveStoreWebhook, type StoreDeps, visitStore } from './visit-store.ts';

export function storeRoutes(deps: StoreDeps): Handlers<typeof stores, SignedInCaller, unknown> {
  return {
    async listStores({ caller, locale }) {
      requireActive(caller.user);
      const list = [...deps.stores.values()].map(({ slug, title, about, test }) => ({
        slug,
        name: title[locale],
        description: about[locale],
        test,
      }));
      return { success: true, data: { stores: list } };
    },
    async getStoreUrl({ caller, params, query }) {
      const { id, url } = await visitStore(deps, requireActive(caller.user), {
        slug: params.store,
        userId: query.user_id,
        email: query.user_email,
        returnUrl: query.return_url,
        isFallback: true,
      });
      return { success: true, redirect_url: url, redirect_id: id };
    },
    async redirectToStore({ caller, params, body }) {
      const { id, url } = await visitStore(deps, requireActive(caller.user), {
        slug: params.store,
        userId: body?.user_id,
        email: body?.user_email,
        returnUrl: body?.return_url,
        requestId: body?.request_id,
        isFallback: false,
      });
      return { success: true, redirect_url: url, redirect_id: id };
    },
    async getStoreRedirect({ caller, params }) {
      const visit = await getVisit(deps, requireActive(caller.user).id, params.id);
      return {
        success: true,
        data: {
          id: visit.id,
          store: visit.store,
          status: visit.status,
          gift_code: visit.giftCode ?? null,
          redirect_url: visit.redirectUrl ?? null,
          created_at: visit.createdAt.toISOString(),
        },
      };
    },
    async storeWebhook({ params, body, request }) {
      await receiveStoreWebhook(deps, params.store, messageOf(request), body);
      return { success: true };
    },
  };
}

function messageOf(request: FastifyRequest) {
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signature: header('webhook-signature'),
    body: rawBodyOf(request) ?? '',
  };
}
