import { createCard2gift, type StoreOptions } from '../adapters/stores/card2gift.ts';
import { createCardplus } from '../adapters/stores/cardplus.ts';
import { readSecret } from '../adapters/stores/standard-webhook.ts';
import { TEST_STORE_PATH } from '../adapters/stores/test-store.ts';
import type { GiftCardStore } from '../modules/gift-cards/store.ts';
import { type Config, ConfigError } from '../platform/config.ts';
import type { Vault } from '../platform/sealed.ts';

const makers = { card2gift: createCard2gift, cardplus: createCardplus } as const;
type Slug = keyof typeof makers;
const slugs = Object.keys(makers) as Slug[];

/** The stores with an agreement. Without any, the built-in test store stands in for each, if simulators are allowed. */
export function openStores(config: Config, vault: Vault, publicUrl: () => string): ReadonlyMap<string, GiftCardStore> {
  const real = slugs.flatMap((slug) => {
    const options = agreed(config, slug);
    return options ? [makers[slug](options)] : [];
  });
  if (real.length > 0 || !config.simulatorsAllowed) return new Map(real.map((store) => [store.slug, store]));
  return new Map(
    slugs.map((slug) => {
      const pageUrl = () => `${publicUrl()}${TEST_STORE_PATH}/${slug}`;
      return [slug, makers[slug]({ pageUrl, ...testStoreKeys(vault, slug), test: true })];
    }),
  );
}

/** This program is both sides of the test store; their keys are derived from the master key. */
export function testStoreKeys(vault: Vault, slug: string): Pick<StoreOptions, 'key' | 'webhookSecret'> {
  return {
    key: { id: 'test', secret: vault.derive(`test-store-visit ${slug}`) },
    webhookSecret: vault.derive(`test-store-webhook ${slug}`),
  };
}

function agreed(config: Config, slug: Slug): StoreOptions | undefined {
  const { url, key, webhookSecret } = config.stores[slug];
  if (!url || !key || !webhookSecret) return undefined;
  const secret = readSecret(webhookSecret);
  if (!secret) {
    const name = `${slug.toUpperCase()}_WEBHOOK_SECRET`;
    throw new ConfigError(`${name} must be whsec_ and base64 of 24 to 64 bytes (Standard Webhooks).`);
  }
  return { pageUrl: () => url, key: { id: '1', secret: key }, webhookSecret: secret, test: false };
}
