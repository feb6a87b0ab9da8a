import { createIdpay } from '../adapters/idpay/idpay.ts';
import { createNextpay } from '../adapters/nextpay/nextpay.ts';
import { IDPAY_TEST_KEY } from '../adapters/test-bank/idpay.ts';
import { testBankPath } from '../adapters/test-bank/test-banks.ts';
import { TEST_PANEL } from '../adapters/test-bank/zarinpal-panel.ts';
import { createZarinpal } from '../adapters/zarinpal/zarinpal.ts';
import type { Gateway } from '../modules/payments/gateway.ts';
import type { Config } from '../platform/config.ts';

/**
 * The gateways whose keys are set. Without any key, all three run against the built-in test banks if those are allowed;
 * real and test gateways are never offered together.
 */
export function openGateways(config: Config, address: { origin: string }, publicUrl: () => string): Gateway[] {
  const real = openRealGateways(config);
  if (real.length > 0 || !config.simulatorsAllowed) return real;
  return openTestGateways(config, address, publicUrl);
}

function openRealGateways({ zarinpal, idpay, nextpay }: Config): Gateway[] {
  const gateways: Gateway[] = [];
  if (zarinpal.merchantId) {
    const url = () => zarinpal.baseUrl ?? 'https://payment.zarinpal.com';
    const { accessToken, terminalId, panelUrl } = zarinpal;
    const panel =
      accessToken && terminalId
        ? { accessToken, terminalId, url: () => panelUrl ?? 'https://next.zarinpal.com/api/v4/graphql/' }
        : undefined;
    gateways.push(createZarinpal({ merchantId: zarinpal.merchantId, apiUrl: url, pageUrl: url, panel, test: false }));
  }
  if (idpay.apiKey) {
    const url = () => idpay.baseUrl ?? 'https://api.idpay.ir';
    const pageUrl = () => 'https://idpay.ir';
    gateways.push(createIdpay({ apiKey: idpay.apiKey, apiUrl: url, pageUrl, test: false }));
  }
  if (nextpay.apiKey) {
    const url = () => nextpay.baseUrl ?? 'https://nextpay.org';
    gateways.push(createNextpay({ apiKey: nextpay.apiKey, apiUrl: url, pageUrl: url, test: false }));
  }
  return gateways;
}

/** The server calls its own test banks over loopback; browsers reach them at the public address. */
function openTestGateways(config: Config, address: { origin: string }, publicUrl: () => string): Gateway[] {
  const { zarinpal, idpay, nextpay } = config;
  return [
    createZarinpal({
      merchantId: '00000000-0000-4000-8000-000000000000',
      apiUrl: () => zarinpal.baseUrl ?? `${address.origin}${testBankPath('zarinpal')}`,
      pageUrl: () => zarinpal.baseUrl ?? `${publicUrl()}${testBankPath('zarinpal')}`,
      panel: {
        ...TEST_PANEL,
        url: () =>
          zarinpal.panelUrl ?? `${zarinpal.baseUrl ?? address.origin + testBankPath('zarinpal')}/api/v4/graphql/`,
      },
      test: true,
    }),
    createIdpay({
      apiKey: IDPAY_TEST_KEY,
      apiUrl: () => idpay.baseUrl ?? `${address.origin}${testBankPath('idpay')}`,
      pageUrl: () => idpay.baseUrl ?? `${publicUrl()}${testBankPath('idpay')}`,
      test: true,
    }),
    createNextpay({
      apiKey: 'test-bank',
      apiUrl: () => nextpay.baseUrl ?? `${address.origin}${testBankPath('nextpay')}`,
      pageUrl: () => nextpay.baseUrl ?? `${publicUrl()}${testBankPath('nextpay')}`,
      test: true,
    }),
  ];
}
