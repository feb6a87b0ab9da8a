import { defineJob } from '../../platform/jobs.ts';

/** Somebody asked for a link to choose a new password; the answer is the same whether the account exists or not. */
export const forgottenPassword = defineJob<{ readonly email: string }>('password.forgot');
