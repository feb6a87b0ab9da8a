import type { AnchorHTMLAttributes, FocusEvent, MouseEvent, PointerEvent } from 'react';
import type { Path } from './addresses.ts';
import { addressOf, hrefOf, type Target } from './history-entry.ts';
import { type NavigateOptions, navigate, preload, useRouter } from './navigation.ts';

type Anchor = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'>;
export type LinkProps<P extends Path> = Anchor & Target<P> & NavigateOptions & { readonly to: P };

/** A link to a screen of the program; its file is loaded as soon as somebody points at it. */
export function Link<P extends Path>(props: LinkProps<P>) {
  const { to, search, hash, state, replace, resetScroll, onClick, onPointerEnter, onFocus, ...rest } = props;
  const isCurrent = useRouter(({ wanted }) => isWithin(wanted.pathname, to) && hasAll(wanted.query, search));
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (event.defaultPrevented || opensElsewhere) return;
    event.preventDefault();
    void navigate({ to, search, hash, state, replace, resetScroll });
  };
  return (
    <a
      {...rest}
      href={hrefOf(addressOf({ to, search, hash }, to))}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={follow}
      onPointerEnter={(event: PointerEvent<HTMLAnchorElement>) => {
        preload(to);
        onPointerEnter?.(event);
      }}
      onFocus={(event: FocusEvent<HTMLAnchorElement>) => {
        preload(to);
        onFocus?.(event);
      }}
    />
  );
}

/** The charge of a wallet is within the wallet. */
function isWithin(pathname: string, to: string): boolean {
  return pathname === to || pathname.startsWith(`${to}/`);
}

function hasAll(query: string, search: object | undefined): boolean {
  const found = new URLSearchParams(query);
  return Object.entries(search ?? {}).every(([name, value]) => found.get(name) === String(value));
}
