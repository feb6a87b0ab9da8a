import { pino } from 'pino';

export type Log = Pick<ReturnType<typeof pino>, 'debug' | 'info' | 'warn' | 'error'>;

/** JSON lines, UTC, without anything that identifies a client's network or opens an account. */
export function createLog(level: string) {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        '*.authorization',
        '*.cookie',
        '*.code',
        '*.token',
        '*.refreshToken',
        '*.password',
        '*.privateKey',
        '*.gift_card_code',
        '*.giftCardCode',
      ],
      censor: '[redacted]',
    },
    serializers: { err: pino.stdSerializers.err },
  });
}
