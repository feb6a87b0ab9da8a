import { limits } from '@raha/contract/limits.ts';

/** Seconds until a number may be sent another code, from the times of the earlier ones (newest first), of all accounts. */
export function waitForNumber(earlier: readonly Date[], now: Date): number {
  const windows: readonly [allowed: number, seconds: number][] = [
    [1, limits.verificationCode.resendAfterSeconds],
    [limits.phone.perNumberPerHour, 3600],
    [limits.phone.perNumberPerDay, 86_400],
  ];
  const waits = windows.map(([allowed, seconds]) => {
    const last = earlier[allowed - 1];
    return last ? Math.ceil(seconds - (now.getTime() - last.getTime()) / 1000) : 0;
  });
  return Math.max(0, ...waits);
}
