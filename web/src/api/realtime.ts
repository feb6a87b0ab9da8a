import { apiBase } from 'virtual:endpoints';
import type { RealtimeEvent } from '@raha/contract/public/realtime.ts';
import { backOff } from './back-off.ts';
import { chance, now } from './clock.ts';
import { createGapEnd } from './gap-end.ts';
import { sessionFetch } from './session-fetch.ts';
import { createEventParser } from './sse.ts';

const HIDDEN_GRACE_MS = 60_000;
/**
 * The server sends a comment every 15 s; a stream without any for longer is dead, or buffered by a filtering network.
 */
const SILENCE_MS = 40_000;

export interface Listener {
  /** `gapEnd`: up to when what the panel holds may have missed changes (`gap-end.ts`). */
  onEvent(event: RealtimeEvent, gapEnd: number): void;
  /** False while there is no live stream, so that the screens poll instead. */
  onLive(live: boolean): void;
}

/** Keeps one event stream open while the page is visible. Returns a function that closes it. */
export function listen(listener: Listener): () => void {
  let current: AbortController | undefined;
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;

  const stop = () => {
    current?.abort();
    current = undefined;
  };
  const start = () => {
    if (current) return;
    current = new AbortController();
    void run(listener, current.signal);
  };
  const onVisibility = () => {
    clearTimeout(hiddenTimer);
    if (document.visibilityState === 'visible') start();
    else hiddenTimer = setTimeout(stop, HIDDEN_GRACE_MS);
  };

  document.addEventListener('visibilitychange', onVisibility);
  onVisibility();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    clearTimeout(hiddenTimer);
    stop();
  };
}

async function run(listener: Listener, signal: AbortSignal): Promise<void> {
  let failures = 0;
  let isOver = false;
  while (!signal.aborted) {
    const gapEnd = createGapEnd(now());
    try {
      await readStream(signal, (event) => {
        failures = 0;
        if (event.type === 'hello') listener.onLive(true);
        // The server closes the stream after this event; it must not be reopened.
        if (event.type === 'session-ended') isOver = true;
        listener.onEvent(event, gapEnd(event));
      });
    } catch {
      // Whatever ended the stream: poll meanwhile and reconnect later.
    }
    listener.onLive(false);
    if (isOver) return;
    await pause(backOff(failures, chance), signal);
    failures += 1;
  }
}

async function readStream(signal: AbortSignal, onEvent: (event: RealtimeEvent) => void): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const response = await sessionFetch(`${apiBase}/realtime`, {
      headers: { accept: 'text/event-stream' },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || !response.body) throw new Error(`realtime answered ${response.status}`);
    const parse = createEventParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      for (const data of parse(value)) onEvent(JSON.parse(data) as RealtimeEvent);
    }
  } finally {
    clearTimeout(timer);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
