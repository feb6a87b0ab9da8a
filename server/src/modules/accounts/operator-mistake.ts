/**
 * invalid: an input does not fit. not-found: what was named does not exist. conflict: not possible as things are.
 * unconfirmed: probably a mistake, done only when the operator insists.
 */
export type MistakeKind = 'invalid' | 'not-found' | 'conflict' | 'unconfirmed';

/**
 * An operator asked for something that is not done; nothing was changed. The message is a sentence for the operator. With
 * `field` it lacks its subject, which is the input of that name: the command line calls it by its flag.
 */
export class OperatorMistake extends Error {
  override readonly name = 'OperatorMistake';
  readonly kind: MistakeKind;
  readonly field: string | undefined;

  constructor(kind: MistakeKind, message: string, field?: string) {
    super(message);
    this.kind = kind;
    this.field = field;
  }
}
