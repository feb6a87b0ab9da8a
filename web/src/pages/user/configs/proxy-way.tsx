import type { Config } from '@raha/contract/public/configs.ts';
import { Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';
import { DidItConnect } from './did-it-connect.tsx';
import { FileCode } from './file-code.tsx';
import { OtherWay } from './other-ways.tsx';
import { proxyLink } from './proxy-link.ts';

/** The proxy as a further way of an OpenVPN config, while its server serves it: a link for apps that know VLESS. */
export function ProxyWay({ config, file }: { config: Config; file: string }) {
  const { proxy } = config.server;
  return proxy && <OtherWay name={m.proxy_way()}>{() => <Way config={config} file={file} url={proxy} />}</OtherWay>;
}

function Way({ config, file, url }: { config: Config; file: string; url: string }) {
  const [link, setLink] = useState<string>();
  useEffect(() => {
    let isShown = true;
    void proxyLink(file, url, config.name).then((made) => isShown && setLink(made));
    return () => {
      isShown = false;
    };
  }, [file, url, config.name]);
  if (link === undefined) return null;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      toast(m.copied_value());
    } catch {
      toast(m.proxy_copy_failed(), 'problem');
    }
  };
  return (
    <div className="grid gap-4">
      <p className="text-sm text-text-2">{m.proxy_text()}</p>
      <code dir="ltr" className="block rounded-sm bg-surface-2 px-3 py-2 font-code text-xs [overflow-wrap:anywhere]">
        {link}
      </code>
      <Button className="btn btn-ghost" onClick={() => void copy()}>
        <Copy className="size-5" aria-hidden />
        {m.proxy_copy()}
      </Button>
      <div className="night rounded-lg px-4 pt-4 pb-9">
        <FileCode config={config} file={link} />
      </div>
      <DidItConnect transport="proxy" />
    </div>
  );
}
