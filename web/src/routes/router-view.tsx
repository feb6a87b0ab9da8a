import { Component, type ReactNode, useLayoutEffect } from 'react';
import { GuardChecking } from '../components/guard-checking.tsx';
import { Overlays } from '../components/overlays.tsx';
import { RouteFailure } from '../components/route-failure.tsx';
import { type Shown, useRouter } from './navigation.ts';
import { scrollAsWanted } from './scroll.ts';

/** The screen of the address, within what its part of the panel has around it. */
export function RouterView() {
  const shown = useRouter((state) => state.shown);
  useLayoutEffect(() => scrollAsWanted(shown?.scrollTo), [shown]);
  return (
    <>
      <Overlays />
      {shown && <WithLayout shown={shown} />}
    </>
  );
}

function WithLayout({ shown }: { shown: Shown }) {
  if (shown.content === 'checking') return <GuardChecking />;
  const { Layout } = shown;
  if (!Layout) return <Contents shown={shown} />;
  return (
    <Failures>
      <Layout>
        <Contents shown={shown} />
      </Layout>
    </Failures>
  );
}

function Contents({ shown: { content, Screen, entry } }: { shown: Shown }) {
  if (typeof content === 'object') return <RouteFailure error={content.error} />;
  return <Failures key={entry.pathname}>{Screen && <Screen />}</Failures>;
}

/** Shows what failed while rendering, until another address is shown. */
class Failures extends Component<{ readonly children: ReactNode }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    return 'error' in this.state ? <RouteFailure error={this.state.error} /> : this.props.children;
  }
}
