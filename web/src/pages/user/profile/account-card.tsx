import type { Profile } from '@raha/contract/public/profile.ts';
import { Download, PowerOff, UserX } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { leaveAfter } from '../../../api/leave.ts';
import { toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';
import { saveFile } from '../shared/save-file.ts';
import { profileApi, sentenceOr } from './profile-api.ts';

const ConfirmDialog = lazy(() => import('./confirm-dialog.tsx'));

/** What happens to the account as a whole: its data to take along, off for a while, gone. */
export function AccountCard({ profile }: { profile: Profile }) {
  const [open, setOpen] = useState<'deactivate' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <section aria-labelledby="account" className="panel p-4 sm:p-6">
      <h2 id="account" className="text-base font-bold">
        {m.account_heading()}
      </h2>
      <ul className="mt-1 divide-y divide-line">
        <Row title={m.export_title()} text={m.export_text()}>
          <ExportButton />
        </Row>
        <Row title={m.deactivate_title()} text={m.deactivate_text()}>
          <Button className="btn btn-ghost btn-sm" onClick={() => setOpen('deactivate')}>
            <PowerOff className="size-4" aria-hidden />
            {m.deactivate_title()}
          </Button>
        </Row>
        <Row title={m.account_delete_title()} text={m.account_delete_text()}>
          <Button className="btn btn-ghost btn-sm !text-danger" onClick={() => setOpen('delete')}>
            <UserX className="size-4" aria-hidden />
            {m.account_delete_title()}
          </Button>
        </Row>
      </ul>
      <Suspense>
        {open === 'deactivate' && (
          <ConfirmDialog
            title={m.deactivate_title()}
            description={m.deactivate_question()}
            confirmLabel={m.deactivate_action()}
            isDanger
            profile={profile}
            onConfirm={(proof) => leave(() => profileApi.deactivateAccount({ body: proof }), m.deactivate_done())}
            onClose={close}
          />
        )}
        {open === 'delete' && (
          <ConfirmDialog
            title={m.account_delete_title()}
            description={m.account_delete_text()}
            confirmLabel={m.account_delete_action()}
            isDanger
            profile={profile}
            onConfirm={(proof) => leave(() => profileApi.deleteAccount({ body: proof }), m.delete_done())}
            onClose={close}
          >
            <div className="grid gap-2 rounded-md bg-danger-soft px-4 py-3 text-sm">
              <p className="font-bold">
                {profile.balance > 0 ? m.delete_balance({ amount: toman(profile.balance) }) : m.delete_no_balance()}
              </p>
              <p>{m.delete_keeps()}</p>
            </div>
          </ConfirmDialog>
        )}
      </Suspense>
    </section>
  );
}

function Row({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <li className="flex flex-wrap sm:flex-nowrap items-center gap-x-4 gap-y-3 py-4">
      <div className="flex-1 min-w-48">
        <p className="font-bold">{title}</p>
        <p className="text-sm text-text-2">{text}</p>
      </div>
      {children}
    </li>
  );
}

function ExportButton() {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    if (busy) return;
    setBusy(true);
    try {
      const text = await profileApi.exportAccount();
      saveFile('raha-account.json', new Blob([text], { type: 'application/json' }));
    } catch (error) {
      toast(sentenceOr(error, m.export_failed()), 'problem');
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button className="btn btn-ghost btn-sm" busy={busy} onClick={() => void save()}>
      <Download className="size-4" aria-hidden />
      {m.export_action()}
    </Button>
  );
}

/** Closes the account, and all sessions with it: this browser forgets its own, says so, and goes home. */
async function leave(close: () => Promise<unknown>, sentence: string): Promise<void> {
  await leaveAfter(async () => {
    await close();
    toast(sentence);
  }, SEEN_MS);
}

/** Long enough to read the sentence. */
const SEEN_MS = 1_200;
