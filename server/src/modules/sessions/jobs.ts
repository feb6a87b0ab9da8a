import { defineJob } from '../../platform/jobs.ts';

/** A password link was requested; the answer is the same whether the account exists or not. */
export const forgottenPassword = defineJob<{ readonly email: string }>('password.forgot');
