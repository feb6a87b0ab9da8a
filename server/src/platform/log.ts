import { type DestinationStream, pino } from 'pino';

export type Log = Pick<ReturnType<typeof pino>, 'debug' | 'info' | 'warn' | 'error'>;

/** JSON lines in UTC, without data that identifies a client's network or opens an account. */
export function createLog(level: string, destination?: DestinationStream) {
  const options = {
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
  };
  return destination ? pino(options, destination) : pino(options);
}
