/** The languages of the product; Persian, the first, is the default. */
export const locales = ['fa', 'en'] as const;
export type Locale = (typeof locales)[number];
