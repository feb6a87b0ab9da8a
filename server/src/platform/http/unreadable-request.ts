import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { sentenceOf } from '@raha/contract/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';
import { sendRefusal } from './answers.ts';

/** A path whose escapes cannot be decoded, or with a parameter of more than 200 characters: there is nothing like that. */
export function answerUnknownPath(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
) {
  return sendRefusal(request, reply.headers({ ...headers, 'x-request-id': request.id }), new Refusal('not_found'));
}

/**
 * Answers bytes that are no HTTP request, or one that is too long or took too long. Nothing is known about the client, so
 * the sentence is Persian. What follows on this connection cannot be told apart from the rest: it is closed, and the answer
 * says so.
 */
export function answerUnreadable(
  { code: cause, rawPacket }: { readonly code?: string; readonly rawPacket?: unknown },
  socket: Socket,
  { requestId, headers }: { readonly requestId: string; readonly headers: Readonly<Record<string, string>> },
): void {
  if (cause === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statuses[cause ?? ''] ?? 400;
  const code = 'malformed_body';
  const body = JSON.stringify({ success: false, code, message: sentenceOf(code, 'fa'), request_id: requestId });
  const all = {
    ...headers,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  // A body after the head of an answer to HEAD would be taken for another answer.
  const isHead = Buffer.isBuffer(rawPacket) && rawPacket.subarray(0, 5).toString() === 'HEAD ';
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${isHead ? '' : body}`);
}

const statuses: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };
