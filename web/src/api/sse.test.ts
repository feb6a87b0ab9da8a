import { expect, test } from 'vitest';
import { createEventParser } from './sse.ts';

test.each([
  ['one event', ['data: {"type":"hello"}\n\n'], ['{"type":"hello"}']],
  ['two events in a piece', ['data: a\n\ndata: b\n\n'], ['a', 'b']],
  ['an event cut anywhere', ['da', 'ta: a', '\n', '\nda', 'ta:b\n\n'], ['a', 'b']],
  ['comments keep the stream open and say nothing', [': ping\n\n', 'data: a\n\n'], ['a']],
  ['other fields are skipped', ['event: x\nid: 7\nretry: 10\ndata: a\n\n'], ['a']],
  ['several data lines are one text', ['data: a\ndata: b\n\n'], ['a\nb']],
  ['CRLF, also cut between CR and LF', ['data: a\r', '\n\r\n', 'data: b\r\n\r\n'], ['a', 'b']],
  ['an event without its empty line is not over', ['data: a\n'], []],
])('%s', (_, pieces, events) => {
  const parse = createEventParser();
  expect(pieces.flatMap((piece) => parse(piece))).toEqual(events);
});
