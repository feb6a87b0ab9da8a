import { DirectionProvider } from '@base-ui/react/direction-provider';
import { Menu } from '@base-ui/react/menu';
import type { ComponentType, ReactNode } from 'react';

export interface MenuEntry {
  readonly label: string;
  readonly icon: ComponentType<{ className?: string }>;
  readonly danger?: boolean;
  /** Shown but disabled. */
  readonly disabled?: boolean;
  onChoose(): void;
}

interface AnchoredMenuProps {
  /** The button that opened it: anchors the menu and gets the focus back. */
  anchor: HTMLElement;
  direction: 'rtl' | 'ltr';
  header?: ReactNode;
  entries: readonly MenuEntry[];
  onClose(): void;
}

/** A menu below a plain button, so that hundreds of buttons need no Base UI until one is pressed. */
export default function AnchoredMenu({ anchor, direction, header, entries, onClose }: AnchoredMenuProps) {
  return (
    <DirectionProvider direction={direction}>
      <Menu.Root open onOpenChange={(open) => !open && onClose()}>
        <Menu.Portal container={anchor.closest<HTMLElement>('main, body > div header') ?? document.body}>
          <Menu.Positioner anchor={anchor} align="end" sideOffset={6} className="z-40">
            <Menu.Popup
              finalFocus={() => anchor}
              className="min-w-56 max-w-[min(20rem,calc(100vw-2rem))] rounded-lg bg-surface p-1.5 shadow-3 [box-shadow:var(--edge),var(--shadow-3)] outline-none [animation:fade_.12s_both]"
            >
              {header && <div className="px-3 pt-2 pb-3 mb-1.5 border-b border-line">{header}</div>}
              {entries.map(({ label, icon: Icon, danger, disabled = false, onChoose }) => (
                <Menu.Item
                  key={label}
                  disabled={disabled}
                  onClick={onChoose}
                  className={`flex items-center gap-3 min-h-11 px-3 rounded-sm text-[.9375rem] font-medium cursor-pointer outline-none data-highlighted:bg-surface-2 data-disabled:opacity-50 data-disabled:cursor-default ${danger ? 'text-danger' : 'text-text'}`}
                >
                  <Icon className={`size-5 ${danger ? '' : 'text-text-3'}`} />
                  {label}
                </Menu.Item>
              ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </DirectionProvider>
  );
}
