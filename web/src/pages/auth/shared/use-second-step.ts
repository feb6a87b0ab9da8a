import { ApiError } from '@raha/contract/client.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { navigate } from '../../../routes/navigation.ts';

/** Goes on to the second step if a sign-in asks for one; false: the error is another. */
export function useSecondStep(): (error: unknown) => boolean {
  return (error) => {
    if (!(error instanceof ApiError) || error.code !== 'second_step_required') return false;
    void navigate({ to: paths.signIn, search: { step: 'second-step' }, replace: true });
    return true;
  };
}
