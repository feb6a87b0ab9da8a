import { limits } from '@raha/contract/limits.ts';

/** Seconds until a number may get another code, given the times of earlier codes for it (newest first, all accounts). */
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
