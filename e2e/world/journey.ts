import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { findBrowser, openBrowser, type Reader } from './browser.ts';
import { createSite, type Site } from './site.ts';

/** Why journeys cannot run on this machine; undefined if they can. */
export const whyNoBrowser = findBrowser() ? undefined : 'a browser is needed';

/** A site and a user at a browser. The fields are there when `beforeAll` of the journey's own `describe` runs. */
export interface Journey {
  readonly site: Site;
  readonly reader: Reader;
  readonly page: Page;
}

/**
 * Opens a site and a browser before the tests of this `describe`, and closes both after the last. Without an
 * environment of its own, a dollar is 100,000 toman.
 */
export function openJourney(environment: Readonly<Record<string, string>> = { USD_RATE_TOMAN: '100000' }): Journey {
  const journey: { -readonly [field in keyof Journey]?: Journey[field] } = {};
  beforeAll(async () => {
    journey.site = await createSite(async () => environment);
    journey.reader = await openBrowser(journey.site.controlPlane.url);
    journey.page = journey.reader.page;
  });
  afterAll(async () => {
    await journey.reader?.close();
    await journey.site?.close();
  });
  return journey as Journey;
}
