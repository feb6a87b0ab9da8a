import { Dialog } from '@base-ui/react/dialog';
import { DirectionProvider } from '@base-ui/react/direction-provider';
import { X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { wrapFocus } from './wrap-focus.ts';

interface SheetProps {
  title: ReactNode;
  description?: ReactNode;
  closeLabel: string;
  direction: 'rtl' | 'ltr';
  onClose(): void;
  children: ReactNode;
  /** A dark header, for QR codes only. */
  night?: ReactNode;
  role?: 'dialog' | 'alertdialog';
  initialFocus?: RefObject<HTMLElement | null>;
  /** Gets the focus after closing if the element that opened the dialog no longer exists; true: that element. */
  finalFocus?: RefObject<HTMLElement | null> | (() => HTMLElement | null | true);
  wide?: boolean;
}

/** The gutter kept for a scroll bar belongs to the root, outside the backdrop, so it is darkened separately. */
const SCRIM =
  'fixed inset-0 z-40 bg-[oklch(0.15_0.04_264/.55)] [animation:fade_.2s_both] ' +
  '[html:has(&)]:bg-[color-mix(in_srgb,oklch(0.15_0.04_264)_55%,var(--bg))] [html:has(&)_body]:bg-bg';

/** A dialog: from the bottom on phones, in the middle elsewhere. Load it lazily, because Base UI is heavy. */
export default function Sheet({ title, description, closeLabel, night, children, ...sheet }: SheetProps) {
  return (
    <DirectionProvider direction={sheet.direction}>
      <Dialog.Root open onOpenChange={(open) => !open && sheet.onClose()}>
        <Dialog.Portal>
          <Dialog.Backdrop data-scrim className={SCRIM} />
          <Dialog.Popup
            role={sheet.role ?? 'dialog'}
            onKeyDown={wrapFocus}
            {...(sheet.initialFocus ? { initialFocus: sheet.initialFocus } : {})}
            {...(sheet.finalFocus ? { finalFocus: sheet.finalFocus } : {})}
            className={`fixed z-40 inset-x-0 bottom-0 sm:bottom-auto sm:top-1/2 mx-auto sm:-translate-y-1/2 flex flex-col w-full ${sheet.wide ? 'sm:max-w-[38rem]' : 'sm:max-w-[28rem]'} max-h-[94dvh] sm:max-h-[min(92dvh,54rem)] overflow-hidden rounded-t-xl sm:rounded-b-xl bg-surface shadow-3 sm:[animation:fade_.2s_both] max-sm:[animation:rise_.22s_var(--ease-out)_both]`}
          >
            {/* The scrolling element is not the rounded one: Chromium leaves the corners of a rounded scroller unpainted. */}
            <div className="min-h-0 overflow-y-auto overscroll-contain">
              <header
                className={night ? 'night relative px-5 sm:px-7 pt-5 pb-6' : 'relative px-5 sm:px-7 pt-5 sm:pt-6'}
              >
                <div className="flex items-start gap-3">
                  <div className="flex-1 min-w-0 pt-1.5">
                    <Dialog.Title className="text-lg font-black leading-snug [overflow-wrap:anywhere]">
                      {title}
                    </Dialog.Title>
                    {description && (
                      <Dialog.Description className={`mt-1.5 text-sm ${night ? 'text-on-night-2' : 'text-text-2'}`}>
                        {description}
                      </Dialog.Description>
                    )}
                  </div>
                  <Dialog.Close
                    aria-label={closeLabel}
                    className={`icon-btn -me-2 -mt-1 ${night ? '!text-on-night-2 hover:!bg-[oklch(1_0_0/.12)]' : ''}`}
                  >
                    <X className="size-5" aria-hidden />
                  </Dialog.Close>
                </div>
                {night}
              </header>
              <div className="px-5 sm:px-7 pt-5 pb-[max(1.25rem,env(safe-area-inset-bottom))] sm:pb-7">{children}</div>
            </div>
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </DirectionProvider>
  );
}
