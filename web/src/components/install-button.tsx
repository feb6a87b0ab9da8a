import { MonitorDown } from 'lucide-react';
import { m } from '../text/generated/messages.js';
import { install, useInstallation } from '../ui/installation.ts';

/** Puts the panel on the home screen, where the browser can; on an iPhone it says how. */
export function InstallButton({ className }: { className: string }) {
  const way = useInstallation();
  if (!way) return null;
  if (way === 'by-hand') return <p className="px-3 py-2 text-sm text-text-3">{m.install_ios()}</p>;
  return (
    <button type="button" className={className} onClick={install}>
      <MonitorDown className="size-5 text-text-3" aria-hidden />
      {m.install()}
    </button>
  );
}
