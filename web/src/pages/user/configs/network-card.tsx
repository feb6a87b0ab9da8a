import { useQuery } from '@tanstack/react-query';
import { RefreshCw, ShieldAlert, ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { networkQuery } from '../../../api/queries.ts';
import { cityName } from '../../../text/cities.ts';
import { countryName } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { currentLocale } from '../../../text/locale.ts';
import { Button } from '../../../ui/button.tsx';

/** How the internet sees this browser now. Asked for with the screen and after every change of the connection. */
export default function NetworkCard() {
  const network = useQuery(networkQuery);
  const status = network.data;
  const Icon = status?.isProtected ? ShieldCheck : ShieldAlert;
  const tone = !status
    ? 'bg-surface-2 text-text-3'
    : status.isProtected
      ? 'bg-success-soft text-success'
      : 'bg-spark-soft text-spark-text';
  return (
    <section
      aria-labelledby="network"
      aria-busy={network.isFetching}
      data-protected={status?.isProtected}
      className="card mt-4 sm:mt-5 px-4 sm:px-6 py-4 flex flex-wrap items-center gap-x-5 gap-y-3"
    >
      <span className={`grid place-items-center size-11 rounded-full shrink-0 ${tone}`}>
        <Icon className="size-5.5" aria-hidden />
      </span>
      <div className="flex-1 min-w-56">
        <h2 id="network" className="text-sm font-bold">
          {m.network_title()}
          {status && (
            <span className={`badge ms-2 ${tone}`}>
              {status.isProtected ? m.network_protected() : m.network_unprotected()}
            </span>
          )}
        </h2>
        <p className="text-sm text-text-2" role={network.isError ? 'alert' : undefined}>
          {status
            ? status.isProtected
              ? m.network_protected_text()
              : m.network_unprotected_text()
            : network.isError
              ? m.network_failed()
              : m.loading()}
        </p>
      </div>
      {status && (
        <dl className="flex flex-wrap gap-x-7 gap-y-2 text-sm">
          <Detail label={status.isProtected ? m.network_vpn_ip() : m.network_real_ip()}>
            <Address value={status.isProtected ? status.vpnIp : status.realIp} />
          </Detail>
          <Detail label={m.network_location()}>{locationText(status.location)}</Detail>
          <Detail label={m.network_isp()}>
            <bdi>{status.isp ?? m.network_unknown()}</bdi>
          </Detail>
        </dl>
      )}
      <Button
        className="icon-btn shrink-0"
        aria-label={m.network_refresh()}
        title={m.network_refresh()}
        busy={network.isFetching}
        onClick={() => void network.refetch()}
      >
        <RefreshCw className={`size-5 ${network.isFetching ? 'motion-safe:animate-spin' : ''}`} aria-hidden />
      </Button>
      <p className="basis-full text-xs text-text-3 -mt-1">
        {m.network_kept()} {m.network_source()}{' '}
        <a
          href="https://db-ip.com"
          target="_blank"
          rel="noreferrer"
          className="underline underline-offset-4 text-text-2"
          dir="ltr"
        >
          DB-IP
        </a>
      </p>
    </section>
  );
}

function Detail({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-text-3">{label}</dt>
      <dd className="font-semibold [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

function Address({ value }: { value: string | null }) {
  if (value === null) return m.network_unknown();
  return (
    <bdi dir="ltr" className="font-code">
      {value}
    </bdi>
  );
}

function locationText({ country, city }: { country: string | null; city: string | null }): string {
  if (country === null) return city ?? m.network_unknown();
  return city ? cityName(city, currentLocale()) + m.comma() + countryName(country) : countryName(country);
}
