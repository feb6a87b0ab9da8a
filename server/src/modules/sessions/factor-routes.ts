import type { factors } from '@raha/contract/public/factors.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import { isStaff } from '../accounts/users.ts';
import { listFactors } from '../factors/list-factors.ts';
import {
  addPasskey,
  removePasskey,
  renamePasskey,
  requirePasskey,
  setPasskeySecondStep,
  startPasskey,
} from '../factors/passkeys.ts';
import { renewRecoveryCodes } from '../factors/renew-codes.ts';
import { hasFactor } from '../factors/second-step.ts';
import { confirmTotp, removeTotp, startTotp } from '../factors/totp.ts';
import { requireActive, requireProfile, type SignedInCaller } from './caller.ts';
import { confirmSelf, offerConfirmationByPasskey, type SelfProof } from './confirm-self.ts';
import type { AuthDeps } from './give-session.ts';
import { sessionRequester } from './requester.ts';

/**
 * A user's own factors. Everything that adds, removes or weakens one needs a fresh proof of the owner; a factor is added to
 * a proved address only, because the address is the way back into the account.
 */
export function factorRoutes(deps: AuthDeps): Handlers<typeof factors, SignedInCaller, unknown> {
  const confirmed = async (caller: SignedInCaller, proof: SelfProof) => {
    requireActive(caller.user);
    await confirmSelf(deps, caller, proof);
    return caller.user;
  };
  /** The mailbox is enough for the first factor, so that of staff is set up in the console, within the hours given for it. */
  const refuseFirstOfStaff = async ({ user }: SignedInCaller) => {
    if (isStaff(user) && !(await hasFactor(deps.db, user.id))) throw new Refusal('staff_first_factor');
  };
  const requesterOf = ({ sessionId }: SignedInCaller) => sessionRequester(sessionId).key;
  return {
    async listFactors({ caller }) {
      return { success: true, data: await listFactors(deps.db, deps.publicUrl, requireProfile(caller.user).id) };
    },
    async startConfirmationByPasskey({ caller }) {
      requireProfile(caller.user);
      return { success: true, data: { options: await offerConfirmationByPasskey(deps, caller) } };
    },
    async startPasskey({ caller, body }) {
      await refuseFirstOfStaff(caller);
      const user = await confirmed(caller, body);
      return { success: true, data: { options: await startPasskey(deps, user, requesterOf(caller)) } };
    },
    async addPasskey({ caller, body }) {
      const request = { ...body, requester: requesterOf(caller) };
      return { success: true, data: { passkey: await addPasskey(deps, requireActive(caller.user), request) } };
    },
    async renamePasskey({ caller, params, body }) {
      return {
        success: true,
        data: { passkey: await renamePasskey(deps, requireActive(caller.user), params.id, body.name) },
      };
    },
    async setPasskeySecondStep({ caller, params, body }) {
      const { enabled, ...proof } = body;
      await requirePasskey(deps, requireActive(caller.user).id, params.id);
      const user = await confirmed(caller, proof);
      return { success: true, data: { recovery_codes: await setPasskeySecondStep(deps, user, params.id, enabled) } };
    },
    async removePasskey({ caller, params, body }) {
      await requirePasskey(deps, requireActive(caller.user).id, params.id);
      await removePasskey(deps, await confirmed(caller, body), params.id);
      return { success: true };
    },
    async startTotp({ caller, body }) {
      await refuseFirstOfStaff(caller);
      return { success: true, data: await startTotp(deps, await confirmed(caller, body)) };
    },
    async confirmTotp({ caller, body }) {
      const codes = await confirmTotp(deps, requireActive(caller.user), body.code);
      return { success: true, data: { recovery_codes: codes } };
    },
    async removeTotp({ caller, body }) {
      await removeTotp(deps, await confirmed(caller, body));
      return { success: true };
    },
    async renewRecoveryCodes({ caller, body }) {
      const codes = await renewRecoveryCodes(deps, await confirmed(caller, body));
      return { success: true, data: { recovery_codes: codes } };
    },
  };
}
