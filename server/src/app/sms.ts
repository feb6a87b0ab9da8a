import { createKavenegar } from '../adapters/sms/kavenegar.ts';
import { TEST_SMS_KEY, TEST_SMS_PATH } from '../adapters/sms/test-sms.ts';
import type { Config } from '../platform/config.ts';
import type { SmsSender } from '../platform/sms.ts';

/** Kavenegar if its key is set; otherwise the built-in simulator if that is allowed, or else nothing. */
export function openSms(config: Config, address: { origin: string }): SmsSender | undefined {
  const { apiKey, baseUrl } = config.kavenegar;
  if (apiKey) return createKavenegar({ apiKey, apiUrl: () => baseUrl ?? 'https://api.kavenegar.com', test: false });
  if (!config.simulatorsAllowed) return undefined;
  const apiUrl = () => baseUrl ?? `${address.origin}${TEST_SMS_PATH}`;
  return createKavenegar({ apiKey: TEST_SMS_KEY, apiUrl, test: true });
}
