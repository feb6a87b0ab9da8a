/** Stands in the pictures for the name of the file, until the script knows it. */
export const SAMPLE_FILENAME = 'raha.conf';
