import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { parseAmount } from '@raha/contract/persian.ts';
import { guestName, senderName } from '@raha/contract/public/family.ts';
import { useRef, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { Choice } from '../../../ui/choice.tsx';
import { FieldNote, TextField } from '../../../ui/text-field.tsx';
import { useForm } from '../../../ui/use-form.ts';

/** Gigabytes of a month. */
const offered = [5, 10, 20, 50] as const;
const OTHER = 'other';
const { usualGb, maxGb, nameMax } = limits.family;

/** For whom, from whom, and how much a month. */
export function FamilyForm({
  senderName: own,
  onShare,
}: {
  senderName: string;
  onShare(guestName: string, senderName: string, gigabytes: number): Promise<void>;
}) {
  const [problem, setProblem] = useState<string>();
  const cap = useCap(usualGb);
  const given = { guest: '', sender: own.slice(0, nameMax), gigabytes: cap.value };
  const schemas = { guest: guestName, sender: senderName, gigabytes: cap.schema };
  const form = useForm(schemas, given, async ({ guest, sender }) => {
    setProblem(undefined);
    try {
      await onShare(guest, sender, cap.gigabytes);
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.fields.guest_name) return { guest: error.fields.guest_name };
      if (error instanceof ApiError && error.fields.sender_name) return { sender: error.fields.sender_name };
      setProblem(errorSentence(error, m.family_create_failed()));
      return undefined;
    }
  });
  return (
    <form {...form.form} className="grid gap-5">
      <TextField
        {...form.field('guest')}
        label={m.family_guest_name()}
        placeholder={m.family_guest_example()}
        dir="auto"
        autoComplete="off"
        maxLength={nameMax * 2}
        problem={fieldSentence(form.problems.guest)}
        onText={(value) => form.set('guest', value)}
      />
      <TextField
        {...form.field('sender')}
        label={m.family_sender_name()}
        hint={m.family_sender_note()}
        dir="auto"
        autoComplete="off"
        maxLength={nameMax * 2}
        problem={fieldSentence(form.problems.sender)}
        onText={(value) => form.set('sender', value)}
      />
      <CapFields cap={cap} problem={form.problems.gigabytes} />
      <div>
        <Button type="submit" busy={form.busy} className="btn btn-primary w-full">
          {m.family_create()}
        </Button>
        <FieldNote problem={problem} />
      </div>
    </form>
  );
}

export function CapForm({ gigabytes, onCap }: { gigabytes: number; onCap(gigabytes: number): Promise<void> }) {
  const [problem, setProblem] = useState<string>();
  const cap = useCap(gigabytes);
  const form = useForm({ gigabytes: cap.schema }, { gigabytes: cap.value }, async () => {
    setProblem(undefined);
    try {
      await onCap(cap.gigabytes);
    } catch (error) {
      setProblem(errorSentence(error, m.family_cap_failed()));
    }
    return undefined;
  });
  return (
    <form {...form.form} className="grid gap-5">
      <CapFields cap={cap} problem={form.problems.gigabytes} />
      <div>
        <Button type="submit" busy={form.busy} className="btn btn-primary w-full">
          {m.save()}
        </Button>
        <FieldNote problem={problem} />
      </div>
    </form>
  );
}

type Cap = ReturnType<typeof useCap>;

/** One of those that are offered, or an amount of one's own. */
function useCap(first: number) {
  const isOffered = offered.some((known) => known === first);
  const [chosen, setChosen] = useState(isOffered ? String(first) : OTHER);
  const [typed, setTyped] = useState(isOffered ? '' : String(first));
  const value = chosen === OTHER ? typed : chosen;
  const gigabytes = parseAmount(value);
  const schema = {
    safeParse: (text: unknown) =>
      isCap(parseAmount(String(text)))
        ? ({ success: true, data: text } as const)
        : ({ success: false, error: { issues: [{ message: rangeSentence() }] } } as const),
  };
  return { chosen, setChosen, typed, setTyped, value, gigabytes, schema };
}

function isCap(gigabytes: number): boolean {
  return Number.isInteger(gigabytes) && gigabytes >= 1 && gigabytes <= maxGb;
}

function rangeSentence(): string {
  return m.family_cap_range({ min: number(1), max: number(maxGb) });
}

function CapFields({ cap, problem }: { cap: Cap; problem: string | undefined }) {
  const field = useRef<HTMLInputElement>(null);
  const options = [
    ...offered.map((count) => ({ value: String(count), label: m.family_cap_gb({ count: number(count) }) })),
    { value: OTHER, label: m.family_cap_other() },
  ];
  // A value that is right again takes its sentence away.
  const shown = isCap(cap.gigabytes) ? undefined : problem;
  return (
    <div className="grid gap-3">
      <Choice label={m.family_cap()} name="cap" options={options} value={cap.chosen} onChange={cap.setChosen} />
      {cap.chosen === OTHER ? (
        <TextField
          ref={field}
          name="gigabytes"
          label={m.family_cap_field()}
          inputMode="numeric"
          autoComplete="off"
          dir="ltr"
          value={cap.typed}
          hint={m.family_cap_note()}
          problem={shown}
          onText={cap.setTyped}
        />
      ) : (
        <FieldNote hint={m.family_cap_note()} />
      )}
    </div>
  );
}
