/** Why something did not work, where it did not. Read out when it appears. */
export function Problem({ sentence }: { sentence: string }) {
  return (
    <p className="c-wrong" role="alert">
      {sentence}
    </p>
  );
}
