/** Cookies that scripts may read. The refresh token is not among them. */
export function readCookie(name: string, jar: string = document.cookie): string | undefined {
  for (const pair of jar.split('; ')) {
    const split = pair.indexOf('=');
    if (split > 0 && pair.slice(0, split) === name) return decode(pair.slice(split + 1));
  }
  return undefined;
}

/** Without a number of days the cookie ends with the browser session. */
export function writeCookie(name: string, value: string, days?: number): void {
  const life = days === undefined ? '' : ` Max-Age=${days * 86_400};`;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store API is missing in Firefox before 140 and in Safari before 18.4
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/;${life} SameSite=Strict${secure}`;
}

export function deleteCookie(name: string): void {
  writeCookie(name, '', 0);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
