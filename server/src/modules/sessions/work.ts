import { handle, type Work } from '../../platform/jobs.ts';
import { mailResetLink } from './change-password.ts';
import { forgetOldSessions } from './forget.ts';
import { forgottenPassword } from './jobs.ts';
import type { SendCodeDeps } from './send-code.ts';
import type { SignInDeps } from './sign-in.ts';

type Deps = SignInDeps & SendCodeDeps;

export const sessionsWork: Work<Deps> = {
  handlers: [handle(forgottenPassword, (deps: Deps, { email }) => mailResetLink(deps, email))],
  schedules: [
    { name: 'forget old sessions', everyMs: 3_600_000, run: ({ db, clock }) => forgetOldSessions(db, clock.now()) },
  ],
};
