/** What a program that a test starts inherits of it: where programs are, and where Node keeps what it compiled before. */
export const inherited = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
