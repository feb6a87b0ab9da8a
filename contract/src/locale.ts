/** The languages of the product: Persian first, which is what a reader gets who chose none. */
export const locales = ['fa', 'en'] as const;
export type Locale = (typeof locales)[number];
