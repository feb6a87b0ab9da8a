import { LogOut } from 'lucide-react';
import { m } from '../text/generated/messages.js';
import { logOut } from './log-out.ts';

export function LogOutButton({ className }: { className: string }) {
  return (
    <button
      type="button"
      className={className}
      aria-label={m.log_out()}
      title={m.log_out()}
      onClick={() => void logOut()}
    >
      <LogOut className="size-5 rtl:-scale-x-100" aria-hidden />
    </button>
  );
}
