import type { NumberNode } from './number-node.ts';
import type { Site } from './site.ts';
import { activate, chargeThroughTestBank, signUp, type TestUser } from './user.ts';

/** Signs up a user with content on every screen: an activated account, a payment, and a config with traffic. */
export async function signUpFurnished(
  site: Site,
  numbers: NumberNode,
  email: string,
  names: { readonly user?: string; readonly config: string },
): Promise<TestUser> {
  const user = await signUp(site.controlPlane.url, site.mailbox, email, names.user);
  await activate(site.controlPlane, user.api, 5);
  await chargeThroughTestBank(user, 50_000);
  const { data } = await user.api.createConfig({
    body: { name: names.config, serverId: numbers.node.id, protocol: 'wireguard', keepKey: true },
  });
  await numbers.node.settle();
  await numbers.pass(data.config.id, 300_000_000);
  return user;
}
