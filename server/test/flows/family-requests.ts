import { API_BASE } from '@raha/contract/public/table.ts';
import { type Belongings, cookieOf, sendCall } from './every-request.ts';

/** The requests of `every-request.ts` for family links. */
export const familyRequests = {
  shareConfig: ({ configId: id }: Belongings) => ({
    params: { id },
    body: { guest_name: 'مادر', sender_name: '', monthly_gb: 20 },
  }),
  changeFamilyCap: async (has: Belongings) => ({
    params: { id: (await sharedConfig(has)).id },
    body: { monthly_gb: 20 },
  }),
  endFamily: async (has: Belongings) => ({ params: { id: (await secondShared(has)).id } }),
  lookAtFamilyLink: async (has: Belongings) => ({ body: { token: (await sharedConfig(has)).token } }),
  openFamilyLink: async (has: Belongings) => ({ body: { token: (await sharedConfig(has)).token } }),
  downloadFamilyFile: async (has: Belongings) => await openedLink(has),
  showFamilyQr: async (has: Belongings) => await openedLink(has),
};

/** A config that the owner shares, with a link that nobody has opened. */
async function sharedConfig({ owner, configId }: Belongings, id = configId): Promise<{ id: string; token: string }> {
  const body = { guest_name: 'مادر', sender_name: '', monthly_gb: 20 };
  const { data } = await owner.api.shareConfig({ params: { id }, body });
  return { id, token: data.token };
}

/** Another one, which may be ended. */
async function secondShared(has: Belongings): Promise<{ id: string; token: string }> {
  const { owner, configId, serverId } = has;
  const found = (await owner.api.listConfigs()).data.configs.find(({ id, keepKey }) => keepKey && id !== configId);
  const create = async () => (await owner.api.createConfig({ body: { name: 'تبلت مادر', serverId } })).data.config;
  return await sharedConfig(has, (found ?? (await create())).id);
}

/** A link that was opened, with the cookie of the browser that did. */
async function openedLink(has: Belongings) {
  const { token } = await sharedConfig(has);
  const response = await sendCall(has.world.origin, 'POST', `${API_BASE}/family/open`, { body: { token } }, undefined);
  const { data } = (await response.json()) as { data: { id: string } };
  return { params: { id: data.id }, headers: { cookie: cookieOf(response.headers, 'family') } };
}
