import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { ArrowRight, Moon, Sun } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useDeferredValue } from 'react';
import { Logo } from '../../../components/logo.tsx';
import { m } from '../../../text/generated/messages.js';
import { brandName } from '../../../text/site-values.ts';
import { toggleTheme } from '../../../ui/theme.ts';
import { useIsWide } from '../../../ui/use-is-wide.ts';

/** Drawn apart from the form: it is the largest picture, and a phone has no place for it. */
const DemoPanel = lazy(() => import('./demo-panel.tsx'));

/** The frame of every screen for visitors: the form at the start, the window with its demonstrations beside it. */
export function AuthLayout({ children }: { children: ReactNode }) {
  const isWide = useIsWide();
  // The frame first; the form is made in slices after it, so that a slow phone is not deaf meanwhile.
  const isFramed = useDeferredValue(true, false);
  return (
    <div className="relative isolate min-h-dvh flex flex-col">
      <div
        aria-hidden
        className="girih absolute inset-0 -z-10 opacity-60 [mask-image:radial-gradient(60%_75%_at_25%_50%,#000,transparent)]"
      />
      <header className="mx-auto w-full max-w-[1280px] px-5 lg:px-10 h-20 flex items-center justify-between">
        <a href={paths.landing} aria-label={m.home_of_brand({ brand: brandName() })}>
          <Logo name={brandName()} />
        </a>
        <button type="button" className="icon-btn" aria-label={m.toggle_theme()} onClick={toggleTheme}>
          <Sun className="size-5 hidden dark:block" aria-hidden />
          <Moon className="size-5 dark:hidden" aria-hidden />
        </button>
      </header>
      <main className="flex-1 mx-auto w-full max-w-[1280px] px-4 sm:px-5 lg:px-10 pb-12 grid lg:grid-cols-[1fr_1.02fr] items-center gap-x-16 gap-y-8">
        <div className="w-full max-w-[28rem] mx-auto lg:mx-0 lg:ms-[6%] max-lg:self-start max-lg:pt-[4vh]">
          {isFramed && (
            <>
              {children}
              <a
                href={paths.landing}
                className="inline-flex items-center gap-2 min-h-11 mt-4 px-2 text-sm font-semibold text-text-2 hover:text-text"
              >
                <ArrowRight className="size-4 ltr:-scale-x-100" aria-hidden />
                {m.back_to_home_page()}
              </a>
            </>
          )}
        </div>
        {isWide && (
          <div className="w-full max-w-[560px] justify-self-end self-start sticky top-6">
            <Suspense fallback={<div className="aspect-square mb-36" />}>
              <DemoPanel />
            </Suspense>
          </div>
        )}
      </main>
    </div>
  );
}
