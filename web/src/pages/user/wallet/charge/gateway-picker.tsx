import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { errorSentence } from '../../../../api/error-sentence.ts';
import { m } from '../../../../text/generated/messages.js';
import { Button } from '../../../../ui/button.tsx';
import { FieldNote } from '../../../../ui/text-field.tsx';

interface Gateway {
  readonly name: GatewayName;
  readonly title: string;
  readonly test: boolean;
  readonly health: 'good' | 'slow' | 'off';
}

interface GatewayPickerProps {
  gateways: UseQueryResult<{ readonly gateways: readonly Gateway[]; readonly held: boolean }>;
  value: GatewayName | undefined;
  onChange(name: GatewayName): void;
}

/** Only the banks that are switched on, in the operator's order; slow and silent ones say so, test banks what they are. */
export function GatewayPicker({ gateways, value, onChange }: GatewayPickerProps) {
  return (
    <fieldset>
      <legend className="text-base font-bold mb-3">{m.gateway_heading()}</legend>
      {gateways.data?.gateways.length === 0 && (
        <p className="rounded-md bg-spark-soft text-spark-text px-4 py-3 text-sm font-medium">
          {gateways.data.held ? m.payments_held() : m.no_gateways()}
        </p>
      )}
      {gateways.isPending && <div className="skeleton h-16 !rounded-md" role="status" aria-label={m.loading()} />}
      {gateways.isError && !gateways.data && (
        <>
          <FieldNote problem={errorSentence(gateways.error, m.gateways_failed())} />
          <Button
            className="btn btn-ghost btn-sm mt-3"
            busy={gateways.isFetching}
            onClick={() => void gateways.refetch()}
          >
            {m.try_again()}
          </Button>
        </>
      )}
      <div className="grid grid-cols-[repeat(auto-fit,minmax(6.25rem,1fr))] gap-2">
        {gateways.data?.gateways.map(({ name, title, test, health }) => (
          <label
            key={name}
            className="relative grid content-center justify-items-center gap-y-1 min-h-14 px-2 py-2 text-center rounded-md cursor-pointer shadow-[inset_0_0_0_1px_var(--line)] hover:bg-surface-2 has-checked:shadow-[inset_0_0_0_2px_var(--accent)] has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
          >
            <input
              type="radio"
              name="gateway"
              className="sr-only"
              checked={name === value}
              onChange={() => onChange(name)}
            />
            <bdi className="font-semibold">{title}</bdi>
            {health !== 'good' && (
              <span className="badge bg-danger-soft text-danger">
                {health === 'slow' ? m.gateway_slow() : m.gateway_silent()}
              </span>
            )}
            {test && <span className="badge bg-spark-soft text-spark-text">{m.test_gateway()}</span>}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
