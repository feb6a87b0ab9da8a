import { createKavenegar } from '../adapters/sms/kavenegar.ts';
import { TEST_SMS_KEY, TEST_SMS_PATH } from '../adapters/sms/test-sms.ts';
import type { Config } from '../platform/config.ts';
import type { SmsSender } from '../platform/sms.ts';

/** Kavenegar where there is a key; without one the built-in simulator, where that is allowed, or nothing at all. */
export function openSms(config: Config, address: { origin: string }): SmsSender | undefined {
  const { apiKey, baseUrl } = config.kavenegar;
  if (apiKey) return createKavenegar({ apiKey, apiUrl: () => baseUrl ?? 'https://api.kavenegar.com', test: false });
  if (!config.simulatorsAllowed) return undefined;
  const apiUrl = () => baseUrl ?? `${address.origin}${TEST_SMS_PATH}`;
  return createKavenegar({ apiKey: TEST_SMS_KEY, apiUrl, test: true });
}
