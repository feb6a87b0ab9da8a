/** Prefix of every sample id. Ids of the server begin with their time; this prefix lies three thousand years ahead. */
export const SAMPLE_ID = '5a3b1e00-';
