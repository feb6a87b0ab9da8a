import { automaticClaim, type ClaimName } from '@raha/contract/site-claims.ts';
import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

// Names go into email headers and into data blocks of pages, so line breaks, quotes and angle brackets are not allowed.
const safeText = /^[^"'<>&\\\p{Cc}]+$/u;
const name = z.string().check(z.minLength(1), z.maxLength(40), z.regex(safeText));
/** `|` marks where the second line of the landing page's title begins. */
const tagline = z.string().check(z.minLength(1), z.maxLength(80), z.regex(safeText));

export const brandName = defineSetting('brand.name', name, 'رها');
export const brandNameEnglish = defineSetting('brand.nameEnglish', name, 'Raha');
export const brandTagline = defineSetting('brand.tagline', tagline, 'پنجره‌ای رو به|اینترنت آزاد');
export const brandTaglineEnglish = defineSetting('brand.taglineEnglish', tagline, 'A window on the|open internet');
export const supportEmail = defineSetting('brand.supportEmail', z.email(), 'support@raha.example');

// Claims of the public pages. `auto`: what the installation knows, or nothing; outside production a marked sample.
const count = z.union([z.int().check(z.gte(0), z.lte(1_000_000_000)), z.literal(automaticClaim)]);
const rating = z.union([z.number().check(z.gte(1), z.lte(5)), z.literal(automaticClaim)]);
const claim = (name: ClaimName, schema: typeof count | typeof rating = count) =>
  defineSetting<number | typeof automaticClaim>(`claims.${name}`, schema, automaticClaim);

export const claimSettings = {
  countries: claim('countries'),
  servers: claim('servers'),
  monthlyPriceToman: claim('monthlyPriceToman'),
  othersFromToman: claim('othersFromToman'),
  othersToToman: claim('othersToToman'),
  devices: claim('devices'),
  /** Out of five. */
  rating: claim('rating', rating),
  packageToman: claim('packageToman'),
} satisfies Record<ClaimName, unknown>;
