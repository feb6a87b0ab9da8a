export const systems = ['android', 'ios', 'windows', 'macos', 'linux'] as const;
export type System = (typeof systems)[number];

/** The one that this browser runs on. */
export function findOwnSystem(): System {
  return findSystem(navigator.userAgent, navigator.maxTouchPoints);
}

/** Whether this browser is on a phone or tablet: it cannot scan a code that it shows itself. */
export function isOwnPhone(): boolean {
  const own = findOwnSystem();
  return own === 'android' || own === 'ios';
}

/** Which of them a browser says it runs on. An iPad says that it is a Mac, but a Mac has no touch screen. */
export function findSystem(userAgent: string, touchPoints: number): System {
  if (/Android/i.test(userAgent)) return 'android';
  if (/iPhone|iPad|iPod/.test(userAgent)) return 'ios';
  if (/Macintosh/.test(userAgent)) return touchPoints > 1 ? 'ios' : 'macos';
  return /Linux|X11|CrOS/.test(userAgent) ? 'linux' : 'windows';
}
