/**
 * An address or a word of the code, from left to right. In a narrow column it breaks after a dot or the @, not before its last letter:
 * the columns of a table may be narrower than any word.
 */
export function LongWord({ word }: { readonly word: string }) {
  const parts = [...word.matchAll(/[^@.]+[@.]*|[@.]+/g)];
  return <bdi dir="ltr">{parts.map(({ 0: part, index }) => (index === 0 ? part : [<wbr key={index} />, part]))}</bdi>;
}
