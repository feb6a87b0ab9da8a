declare module 'pg/lib/utils.js' {
  /** What a value is on the wire: pg's types do not describe this file. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
