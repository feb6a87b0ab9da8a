import type { CDPSession, Page } from 'playwright-core';

/**
 * Chromium's own virtual authenticator (DevTools protocol, domain WebAuthn): a platform authenticator with passkeys, whose
 * user is verified or not as the test says.
 */
export interface VirtualAuthenticator {
  /** False: the user fails or cancels the check of the device. */
  verifiesUser(verifies: boolean): Promise<void>;
  /** Signatures made so far by each passkey. */
  signCounts(): Promise<number[]>;
  remove(): Promise<void>;
}

export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    async verifiesUser(verifies) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: verifies });
    },
    async signCounts() {
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
      return credentials.map(({ signCount }) => signCount);
    },
    async remove() {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
      await session.detach();
    },
  };
}
