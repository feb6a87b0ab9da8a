import { useQuery } from '@tanstack/react-query';
import { Mail } from 'lucide-react';
import { api } from '../../../api/client.ts';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useTitle } from '../../../components/use-title.ts';
import { m } from '../../../text/generated/messages.js';

/** Says that agents are not there yet, what they will be, and the address to write to. */
export default function UpgradePage() {
  useTitle(m.upgrade_title());
  const site = useQuery({
    queryKey: ['site'],
    queryFn: async ({ signal }) => (await api.getSite({}, { signal })).data,
  });
  const address = site.data?.supportEmail;
  return (
    <>
      <PageHeading title={m.upgrade_title()} />
      <section aria-labelledby="upgrade" className="panel p-5 sm:p-8 max-w-[46rem]">
        <h2 id="upgrade" className="badge bg-spark-soft text-spark-text !text-sm">
          {m.upgrade_soon()}
        </h2>
        <p className="mt-4">{m.upgrade_text()}</p>
        <ul className="mt-3 grid gap-2 list-disc ps-6 marker:text-accent">
          <li>{m.upgrade_one()}</li>
          <li>{m.upgrade_two()}</li>
          <li>{m.upgrade_three()}</li>
        </ul>
        <p className="mt-5 text-text-2">{m.upgrade_contact()}</p>
        {address ? (
          <p className="mt-4 flex flex-wrap items-center gap-4">
            <a
              href={`mailto:${address}?subject=${encodeURIComponent(m.upgrade_subject())}`}
              className="btn btn-primary"
            >
              <Mail className="size-5" aria-hidden />
              {m.upgrade_write()}
            </a>
            <bdi dir="ltr" className="text-sm text-text-2 [overflow-wrap:anywhere]">
              {address}
            </bdi>
          </p>
        ) : (
          <div className="mt-4 skeleton h-12 w-52" role="status" aria-label={m.loading()} />
        )}
      </section>
    </>
  );
}
