import { ExternalLink, Globe, Laptop, Monitor, Smartphone, Tablet, Terminal } from 'lucide-react';
import { href } from './site-paths.ts';
import { pageText } from './text/page-text.ts';

/** Where the official clients come from, as the WireGuard project lists them; the Chrome extension does not exist yet. */
const sources = [
  { icon: Monitor, url: 'https://www.wireguard.com/install/', guide: 'part-4' },
  { icon: Laptop, url: 'https://apps.apple.com/app/wireguard/id1451685025', guide: 'part-5' },
  {
    icon: Smartphone,
    url: 'https://play.google.com/store/apps/details?id=com.wireguard.android',
    guide: 'part-2',
  },
  { icon: Tablet, url: 'https://apps.apple.com/app/wireguard/id1441195209', guide: 'part-3' },
  { icon: Terminal, url: 'https://www.wireguard.com/install/', guide: 'part-6' },
  { icon: Globe, url: undefined, guide: 'part-1' },
] as const;

export function DownloadCards() {
  const text = pageText().downloads;
  return (
    <ul className="grid gap-5 sm:grid-cols-2 lg:grid-cols-3">
      {text.cards.map((card, index) => {
        const { icon: Icon, url, guide } = sources[index]!;
        return (
          <li key={card.name} className="card p-6 flex flex-col">
            <div className="flex items-center gap-3">
              <span className="grid place-items-center size-12 rounded-md bg-accent-soft text-accent">
                <Icon className="size-6" aria-hidden="true" />
              </span>
              <h2 className="text-lg font-bold">{card.name}</h2>
            </div>
            <p className="text-text-2 mt-3">{card.text}</p>
            {url ? (
              <dl className="text-sm text-text-3 mt-2 mb-5">
                <dt className="inline">{text.version}: </dt>
                <dd className="inline">{text.versionText}</dd>
              </dl>
            ) : (
              <p className="mt-3 mb-5">
                <span className="badge bg-surface-2 text-text-2">{card.note}</span>
              </p>
            )}
            <div className="mt-auto flex flex-wrap gap-2">
              {url && (
                <a href={url} rel="noopener" className="btn btn-ghost btn-sm">
                  <ExternalLink className="size-4" aria-hidden="true" />
                  {text.get.replace('{source}', card.note)}
                </a>
              )}
              <a href={`${href('/guides')}#${guide}`} className="btn btn-quiet btn-sm">
                {text.guide}
                <span className="sr-only"> {card.name}</span>
              </a>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** The clients of the other protocols; where none is needed there is no link. */
const otherSources = [
  'https://openvpn.net/client/',
  undefined,
  'https://play.google.com/store/apps/details?id=org.strongswan.android',
] as const;

export function OtherApps() {
  const { others, get } = pageText().downloads;
  return (
    <section aria-labelledby="other-apps" className="mt-12">
      <h2 id="other-apps" className="text-xl font-black">
        {others.heading}
      </h2>
      <ul className="grid gap-5 sm:grid-cols-3 mt-4">
        {others.items.map(([name, app, source], index) => (
          <li key={name} className="card p-6 flex flex-col gap-2">
            <h3 className="font-bold">{name}</h3>
            <p className="text-sm text-text-2">{app}</p>
            {source && (
              <a href={otherSources[index]} rel="noopener" className="btn btn-ghost btn-sm mt-auto self-start">
                <ExternalLink className="size-4" aria-hidden="true" />
                {get.replace('{source}', source)}
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
