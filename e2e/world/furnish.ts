import type { NumberNode } from './number-node.ts';
import { activate, chargeThroughTestBank, type Person, signUp } from './person.ts';
import type { Site } from './site.ts';

/** Somebody who has something on every screen: an activated account, a payment, a config and what passed through it. */
export async function signUpFurnished(
  site: Site,
  numbers: NumberNode,
  email: string,
  names: { readonly person?: string; readonly config: string },
): Promise<Person> {
  const person = await signUp(site.controlPlane.url, site.mailbox, email, names.person);
  await activate(site.controlPlane, person.api, 5);
  await chargeThroughTestBank(person, 50_000);
  const { data } = await person.api.createConfig({
    body: { name: names.config, serverId: numbers.node.id, protocol: 'wireguard', keepKey: true },
  });
  await numbers.node.settle();
  await numbers.pass(data.config.id, 300_000_000);
  return person;
}
