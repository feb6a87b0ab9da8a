import { ApiError } from '@raha/contract/client.ts';
import type { User } from '@raha/contract/public/auth.ts';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { keepForeignToken } from '../../../api/foreign-token.ts';
import { clearSession, decidePassage, readToken, readUser } from '../../../api/session.ts';
import { visitorApi } from '../../../api/visitor-client.ts';
import { m } from '../../../text/generated/messages.js';
import { lastProvider, providerNames } from '../shared/social-attempt.ts';
import type { SocialReturn } from './read-return.ts';
import { refusalSentence } from './refusal-sentence.ts';

export interface SocialSession {
  readonly token: string;
  readonly user: User;
  readonly isNew: boolean;
  readonly greeting: string;
}

/** Why it did not work, in a user's words; the technical reason stands beside it for support. */
export class SocialFailure extends Error {
  override readonly name = 'SocialFailure';
  readonly reason: string | undefined;
  /** The answer of the provider is still good: nobody could be asked about it. */
  readonly mayAskAgain: boolean;

  constructor(sentence: string, { reason, mayAskAgain = false }: { reason?: string; mayAskAgain?: boolean } = {}) {
    super(sentence);
    this.reason = reason;
    this.mayAskAgain = mayAskAgain;
  }
}

const TOKEN_DAYS = 7;

/** Turns a provider's answer into a session of this browser; throws `SocialFailure`, or the refusal that asks for the second step. */
export async function finishSocial(returned: Exclude<SocialReturn, { kind: 'cancelled' }>): Promise<SocialSession> {
  switch (returned.kind) {
    case 'failed':
      if (returned.code === 'second_step_required') throw new ApiError(403, returned.code, returned.reason);
      throw new SocialFailure(refusalSentence(returned.code, providerNames[lastProvider()]), {
        reason: returned.reason,
      });
    case 'malformed-token':
      throw new SocialFailure(m.social_processing_failed(), { reason: returned.reason });
    case 'nothing':
      throw new SocialFailure(m.social_nothing());
    case 'code':
      return await exchange(returned.code, returned.state, returned.iss);
    case 'token':
      return { ...(await takeToken(returned.token)), isNew: returned.isNew, greeting: m.social_done() };
    case 'cookies': {
      const { token, user } = await whoAmI();
      return { token, user, isNew: returned.isNew, greeting: greetingOf(user) };
    }
  }
}

async function exchange(code: string, state: string, iss: string | undefined): Promise<SocialSession> {
  const redirectUri = `${location.origin}/auth/google/callback`;
  try {
    const body = { code, redirectUri, state, ...(iss === undefined ? {} : { iss }) };
    const { token, user, new_user } = await visitorApi.googleOauth({ body });
    return { token, user, isNew: new_user, greeting: greetingOf(user) };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'second_step_required') throw error;
    throw new SocialFailure(errorSentence(error));
  }
}

/** A token in an address never replaces the session of somebody who is in, and stays only if the server knows it. */
async function takeToken(token: string): Promise<{ token: string; user: User }> {
  if (decidePassage(readUser()) === 'open') return await whoAmI();
  keepForeignToken(token, TOKEN_DAYS);
  try {
    return await whoAmI();
  } catch (error) {
    clearSession();
    throw error;
  }
}

/** Without an answer the session is as good as before: only the server says that it is none. */
async function whoAmI(): Promise<{ token: string; user: User }> {
  try {
    const { user } = await api.me();
    return { token: readToken() ?? '', user };
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) {
      throw new SocialFailure(errorSentence(error), { mayAskAgain: true });
    }
    clearSession();
    throw new SocialFailure(m.social_processing_failed());
  }
}

function greetingOf(user: User): string {
  const name = user.fullName || user.name;
  return name ? m.social_done_name({ name }) : m.social_done();
}
