import { isPermitted, staffRoles } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { m } from '../text/generated/messages.js';
import { currentLocale } from '../text/locale.ts';
import { toggleTheme } from '../ui/theme.ts';
import { api, hasCode } from './api.ts';
import { changeLanguage } from './change-language.ts';
import { usePaletteKey, useRowKeys, useSearchKey } from './keys.ts';
import { Lead } from './lead.tsx';
import { Brand } from './mark.tsx';
import { KeyLine, TopBar } from './page-edges.tsx';
import { Palette } from './palette.tsx';
import { useAddress } from './path.ts';
import { PhoneBar } from './phone-bar.tsx';
import { Problem } from './problem.tsx';
import type { ScreenProps } from './screen-props.ts';
import { groupsOf, maySee, type Section } from './section-groups.ts';
import { SectionList } from './section-list.tsx';
import { sectionAt, sectionGroups } from './sections.ts';
import { useWork } from './use-work.ts';
import { roleNames } from './words.ts';

export function Shell({ self, onSignedOut }: ScreenProps & { onSignedOut: () => void }) {
  const { path } = useAddress();
  const screen = sectionAt(path);
  const mayFindPeople = isPermitted(self.role, 'people.read');
  useSearchKey(mayFindPeople);
  useRowKeys();
  const [isSearching, setSearching] = useState(false);
  usePaletteKey(() => setSearching(true));
  const groups = groupsOf(self.role, sectionGroups);
  const sections = groups.flatMap((group) => group.sections);
  const leaving = useWork();
  const signOut = async () => {
    // A session that is over already is what was wanted.
    await api.signOutStaff().catch((error: unknown) => {
      if (!hasCode(error, 'unauthenticated')) throw error;
    });
    onSignedOut();
  };
  return (
    <div className="c-shell">
      <header className="c-side">
        <Brand />
        <SectionList groups={groups} current={screen} />
        <div className="c-me">
          <bdi dir="ltr">{self.email}</bdi>
          <span>{roleNames[self.role]()}</span>
          <div className="c-buttons">
            <button
              type="button"
              className="c-link"
              onClick={changeLanguage}
              lang={currentLocale() === 'fa' ? 'en' : 'fa'}
            >
              {m.console_language()}
            </button>
            <button type="button" className="c-link" onClick={toggleTheme}>
              {m.console_theme()}
            </button>
            <button type="button" className="c-link" onClick={() => void leaving.run(signOut)}>
              {m.console_sign_out()}
            </button>
          </div>
          <Problem sentence={leaving.sentence} />
        </div>
      </header>
      <PhoneBar sections={sections} current={screen?.path} onSearch={() => setSearching(true)} />
      {isSearching ? (
        <Palette
          self={self}
          screens={sections.map(({ path: to, name }) => ({ to, name: name() }))}
          onClose={() => setSearching(false)}
        />
      ) : null}
      <main className="c-page">
        <TopBar section={screen?.name()} onSearch={() => setSearching(true)} />
        <div className="c-content">
          {screen === undefined ? (
            <Lead title={m.console_not_here()} text={m.console_not_here_text()} />
          ) : maySee(self.role, screen) ? (
            <screen.Content key={path} self={self} />
          ) : (
            <Lead title={m.console_no_right()} text={m.console_no_right_text({ roles: rolesWith(screen) })} />
          )}
        </div>
        <KeyLine mayFindPeople={mayFindPeople} />
      </main>
    </div>
  );
}

function rolesWith(section: Section): string {
  const roles = staffRoles.filter((role) => maySee(role, section));
  return new Intl.ListFormat(currentLocale() === 'fa' ? 'fa-IR' : 'en').format(roles.map((role) => roleNames[role]()));
}
