import type { SettingLine } from '@raha/contract/admin/settings.ts';
import { m } from '../../text/generated/messages.js';
import { StateMark } from '../mark.tsx';

/** What somebody has to look at: a day that is over, or an owner who left. */
export function FlagMarks({ flag }: { flag: NonNullable<SettingLine['flag']> }) {
  const sentences = [
    ...(flag.is_overdue ? [m.console_flag_overdue()] : []),
    ...(flag.is_owned ? [] : [m.console_flag_unowned()]),
  ];
  return (
    <>
      {sentences.map((sentence) => (
        <small key={sentence} className="c-state">
          <StateMark tone="look" />
          {sentence}
        </small>
      ))}
    </>
  );
}
