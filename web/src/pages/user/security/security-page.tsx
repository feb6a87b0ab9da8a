import { PageHeading } from '../../../components/page-heading.tsx';
import { useMe } from '../../../components/use-me.ts';
import { useTitle } from '../../../components/use-title.ts';
import { m } from '../../../text/generated/messages.js';
import { PasswordCard } from './password-card.tsx';
import { SessionList } from './session-list.tsx';

export default function SecurityPage() {
  useTitle(m.security_title());
  const me = useMe();
  return (
    <>
      <PageHeading title={m.security_title()} text={m.security_text()} />
      <div className="grid gap-4 sm:gap-5 xl:grid-cols-[1fr_24rem] items-start">
        <SessionList />
        {me && <PasswordCard email={me.email} />}
      </div>
    </>
  );
}
