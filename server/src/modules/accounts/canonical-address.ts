const GMAIL = new Set(['gmail.com', 'googlemail.com']);

/**
 * One form for the spellings of an address that reach the same mailbox: letter case, `+tag`, and for Gmail also dots and
 * its second domain. For counting only: two spellings may be two accounts, and mail goes to the address as it was given.
 */
export function canonicalAddress(email: string): string {
  const lower = email.toLowerCase();
  const at = lower.lastIndexOf('@');
  const [name, host] = [lower.slice(0, at), lower.slice(at + 1)];
  if (at < 1) return lower;
  const [untagged = ''] = name.split('+');
  const isGmail = GMAIL.has(host);
  const canonical = isGmail ? untagged.replaceAll('.', '') : untagged;
  return `${canonical || name}@${isGmail ? 'gmail.com' : host}`;
}
