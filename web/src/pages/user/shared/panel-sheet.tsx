import type { ComponentProps } from 'react';
import { m } from '../../../text/generated/messages.js';
import { textDirection } from '../../../text/locale.ts';
import Sheet from '../../../ui/sheet.tsx';

/** A sheet in our language and direction. */
export function PanelSheet(props: Omit<ComponentProps<typeof Sheet>, 'closeLabel' | 'direction'>) {
  return <Sheet {...props} closeLabel={m.close()} direction={textDirection()} />;
}
