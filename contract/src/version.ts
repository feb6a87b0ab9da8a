/** The version of the product, the same as in every package.json. */
export const version = '2.0.1';
