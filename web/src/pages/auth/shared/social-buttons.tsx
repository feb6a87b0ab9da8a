import type { SocialProvider } from '@raha/contract/public/social.ts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { visitorApi } from '../../../api/visitor-client.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { useLeaving } from '../../../ui/use-leaving.ts';
import { providerNames, startSocial } from './social-attempt.ts';

const providersQuery = queryOptions({
  queryKey: ['social-providers'],
  queryFn: async ({ signal }) => (await visitorApi.listSocialProviders({}, { signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** Only providers that the operator has set up, on a workshop test ones; without any there is nothing to choose and nothing is shown. */
export function SocialButtons() {
  const { providers, test } = useQuery(providersQuery).data ?? { providers: [], test: false };
  const [leaving, setLeaving] = useLeaving<SocialProvider>();
  if (providers.length === 0) return null;
  return (
    <div className="[animation:fade_.2s_both]">
      <p className="flex items-center gap-4 my-4 text-sm text-text-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {m.or()}
      </p>
      <div className={`grid gap-3 ${providers.length > 1 ? 'sm:grid-cols-2' : ''}`}>
        {providers.map((provider) => (
          <Button
            key={provider}
            className="btn btn-ghost w-full !px-3"
            busy={leaving !== undefined}
            aria-label={m.continue_with({ provider: providerNames[provider] })}
            onClick={() => {
              setLeaving(provider);
              startSocial(provider);
            }}
          >
            {marks[provider]}
            <bdi dir="ltr">{providerNames[provider]}</bdi>
          </Button>
        ))}
      </div>
      {test && <p className="text-xs text-text-3 mt-2 text-center">{m.social_test()}</p>}
    </div>
  );
}

const marks: Readonly<Record<SocialProvider, ReactNode>> = {
  google: (
    <svg viewBox="0 0 24 24" className="size-5" aria-hidden="true">
      <path
        fill="#4285F4"
        d="M23.5 12.27c0-.85-.08-1.66-.22-2.45H12v4.64h6.45a5.5 5.5 0 0 1-2.4 3.62v3h3.88c2.27-2.09 3.57-5.17 3.57-8.81Z"
      />
      <path
        fill="#34A853"
        d="M12 24c3.24 0 5.96-1.07 7.94-2.91l-3.88-3.01c-1.07.72-2.45 1.15-4.06 1.15-3.13 0-5.78-2.11-6.72-4.95H1.27v3.11A12 12 0 0 0 12 24Z"
      />
      <path fill="#FBBC05" d="M5.28 14.28a7.2 7.2 0 0 1 0-4.57V6.6H1.27a12 12 0 0 0 0 10.79l4.01-3.11Z" />
      <path
        fill="#EA4335"
        d="M12 4.76c1.76 0 3.35.61 4.6 1.8l3.43-3.43A11.97 11.97 0 0 0 1.27 6.6l4.01 3.11C6.22 6.87 8.87 4.76 12 4.76Z"
      />
    </svg>
  ),
  github: (
    <svg viewBox="0 0 24 24" className="size-5" fill="currentColor" aria-hidden="true">
      <path d="M12 .5a12 12 0 0 0-3.8 23.38c.6.11.82-.26.82-.58v-2.03c-3.34.73-4.04-1.6-4.04-1.6-.55-1.4-1.34-1.77-1.34-1.77-1.09-.74.08-.73.08-.73 1.2.09 1.84 1.24 1.84 1.24 1.07 1.84 2.81 1.3 3.5 1 .1-.78.42-1.31.76-1.61-2.67-.3-5.47-1.34-5.47-5.95 0-1.32.47-2.4 1.24-3.24-.13-.3-.54-1.53.11-3.18 0 0 1.01-.32 3.3 1.24a11.4 11.4 0 0 1 6.01 0c2.29-1.56 3.3-1.24 3.3-1.24.65 1.65.24 2.88.12 3.18.77.84 1.23 1.92 1.23 3.24 0 4.62-2.8 5.64-5.48 5.94.43.37.82 1.1.82 2.22v3.29c0 .32.21.7.82.58A12 12 0 0 0 12 .5Z" />
    </svg>
  ),
};
