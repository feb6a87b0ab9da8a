import { claimDefaults } from '@raha/contract/claim-defaults.ts';
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

// Claims of the landing page.
const count = z.int().check(z.gte(0), z.lte(1_000_000_000));
const rating = z.number().check(z.gte(1), z.lte(5));

export const claimedCountries = defineSetting('claims.countries', count, claimDefaults.countries);
export const claimedServers = defineSetting('claims.servers', count, claimDefaults.servers);
export const claimedMonthlyPrice = defineSetting('claims.monthlyPriceToman', count, claimDefaults.monthlyPriceToman);
export const claimedOthersFrom = defineSetting('claims.othersFromToman', count, claimDefaults.othersFromToman);
export const claimedOthersTo = defineSetting('claims.othersToToman', count, claimDefaults.othersToToman);
export const claimedDevices = defineSetting('claims.devices', count, claimDefaults.devices);
/** Out of five. */
export const claimedRating = defineSetting('claims.rating', rating, claimDefaults.rating);
export const claimedPackagePrice = defineSetting('claims.packageToman', count, claimDefaults.packageToman);
