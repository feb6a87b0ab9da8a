import { ApiError } from '@raha/contract/client.ts';
import { fieldErrors } from '@raha/contract/field-errors.ts';
import { limits } from '@raha/contract/limits.ts';
import type { Profile } from '@raha/contract/public/profile.ts';
import { useQueryClient } from '@tanstack/react-query';
import { ImageUp, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { meQuery } from '../../../api/me.ts';
import { Avatar } from '../../../components/avatar.tsx';
import { date } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { currentLocale } from '../../../text/locale.ts';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { profileApi, sentenceOr, uploadAvatar } from './profile-api.ts';

export function AvatarCard({ profile }: { profile: Profile }) {
  const queries = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState<'upload' | 'remove'>();
  const [problem, setProblem] = useState<string>();

  const run = async (kind: 'upload' | 'remove', work: () => Promise<unknown>, done: string) => {
    if (busy) return;
    setBusy(kind);
    setProblem(undefined);
    try {
      await work();
      toast(done);
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
    } catch (error) {
      setProblem(error instanceof ApiError ? sentenceOr(error, m.avatar_failed()) : m.avatar_failed());
    } finally {
      setBusy(undefined);
    }
  };

  const choose = async (file: File | undefined) => {
    if (!file) return;
    const wrong = wrongWith(file);
    if (wrong) return setProblem(fieldErrors[wrong][currentLocale()]);
    await run('upload', () => uploadAvatar(file), m.avatar_saved());
  };

  return (
    <section aria-labelledby="avatar" className="panel p-4 sm:p-6 grid gap-4">
      <h2 id="avatar" className="text-base font-bold">
        {m.avatar_heading()}
      </h2>
      <div className="flex items-center gap-4">
        <Avatar name={profile.name || profile.email} picture={profile.avatar} className="size-20 text-3xl" />
        <div className="min-w-0">
          <p className="font-bold [overflow-wrap:anywhere] line-clamp-2">
            <bdi>{profile.name}</bdi>
          </p>
          <p className="text-sm text-text-3">{m.profile_member_since({ date: date(profile.createdAt) })}</p>
        </div>
      </div>
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        data-testid="avatar-file"
        onChange={(event) => {
          void choose(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          className="btn btn-ghost btn-sm"
          busy={busy === 'upload'}
          aria-describedby="avatar-note"
          onClick={() => input.current?.click()}
        >
          <ImageUp className="size-4" aria-hidden />
          {busy === 'upload' ? m.avatar_uploading() : profile.avatar ? m.avatar_change() : m.avatar_choose()}
        </Button>
        {profile.avatar && (
          <Button
            className="btn btn-quiet btn-sm"
            busy={busy === 'remove'}
            onClick={() => void run('remove', () => profileApi.deleteAvatar(), m.avatar_removed())}
          >
            <Trash2 className="size-4" aria-hidden />
            {m.avatar_remove()}
          </Button>
        )}
      </div>
      <FieldNote id="avatar-note" problem={problem} hint={m.avatar_hint()} />
    </section>
  );
}

/** What can be seen before anything is sent; the server looks inside. */
function wrongWith(file: File): 'file_not_image' | 'file_too_large' | undefined {
  if (!file.type.startsWith('image/')) return 'file_not_image';
  return file.size > limits.avatar.maxBytes ? 'file_too_large' : undefined;
}
