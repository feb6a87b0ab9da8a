/** The beginning of every id of a sample; ids of the server begin with their time, and this one is three thousand years ahead. */
export const SAMPLE_ID = '5a3b1e00-';
