import { Fragment } from 'react';

/** Given to a message, it marks where the page's script writes what only the server knows. */
export function slot(name: string): string {
  return `⟦${name}⟧`;
}

/** A message with an empty element for each of its slots. */
export function Slots({ text }: { text: string }) {
  return text.split(/⟦(\w+)⟧/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence
    <Fragment key={index}>{index % 2 === 0 ? part : <bdi data-slot={part} />}</Fragment>
  ));
}

/** One sentence if the owner has written a name of their own, another one if not. */
export function FromSender({ named, unnamed }: { named: string; unnamed: string }) {
  return (
    <>
      <span data-with-sender="">
        <Slots text={named} />
      </span>
      <span data-without-sender="" hidden>
        <Slots text={unnamed} />
      </span>
    </>
  );
}
