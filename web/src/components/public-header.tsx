import { Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { paths } from '../paths.ts';
import { m } from '../text/generated/messages.js';
import { Logo } from './logo.tsx';

/** The head of the static pages; its theme button is brought to life by `public.ts`. */
export function PublicHeader({ children }: { children?: ReactNode }) {
  return (
    <header className="mx-auto max-w-[1280px] px-5 lg:px-10 h-20 flex items-center gap-8">
      <a href={paths.landing} aria-label={m.home_of_brand({ brand: m.brand() })}>
        <Logo name={m.brand()} />
      </a>
      <div className="ms-auto flex items-center gap-1.5 sm:gap-2">
        <button type="button" className="icon-btn" data-theme-toggle="" aria-label={m.toggle_theme()}>
          <Sun className="size-5 hidden dark:block" aria-hidden="true" />
          <Moon className="size-5 dark:hidden" aria-hidden="true" />
        </button>
        {children}
      </div>
    </header>
  );
}
