/**
 * The few messages of V2Ray's API (its `*.proto` files, versions 4 and 5), in the encoding of Protocol Buffers. A message of a named type
 * is a pair of name and value in both versions.
 */

const CORE = 'v2ray.core';
const PROXYMAN = `${CORE}.app.proxyman`;
export const HANDLER = `${PROXYMAN}.command.HandlerService`;
export const STATS = `${CORE}.app.stats.command.StatsService`;

/** `USE_IP4` of freedom's `DomainStrategy`. */
const USE_IP4 = 2;

/** An outbound that sends from this IPv4 address, and resolves names to IPv4 only. */
export function addOutbound(tag: string, address4: string): Buffer {
  const address = bytes(1, Buffer.from(address4.split('.').map(Number)));
  const sender = typed(`${PROXYMAN}.SenderConfig`, bytes(1, address));
  const freedom = typed(`${CORE}.proxy.freedom.Config`, number(1, USE_IP4));
  return bytes(1, Buffer.concat([bytes(1, tag), bytes(2, sender), bytes(3, freedom)]));
}

export function removeOutbound(tag: string): Buffer {
  return bytes(1, tag);
}

/** `name` is what rules and counters call the user. */
export function addUser(inbound: string, name: string, id: string): Buffer {
  const account = typed(`${CORE}.proxy.vless.Account`, Buffer.concat([bytes(1, id), bytes(3, 'none')]));
  const user = Buffer.concat([bytes(2, name), bytes(3, account)]);
  return alterInbound(inbound, 'AddUserOperation', bytes(1, user));
}

export function removeUser(inbound: string, name: string): Buffer {
  return alterInbound(inbound, 'RemoveUserOperation', bytes(1, name));
}

function alterInbound(inbound: string, operation: string, value: Buffer): Buffer {
  return Buffer.concat([bytes(1, inbound), bytes(2, typed(`${PROXYMAN}.command.${operation}`, value))]);
}

/** Asks for the counters whose names contain this. */
export function queryStats(pattern: string): Buffer {
  return bytes(1, pattern);
}

/** Counters by name. One that has not moved has no value in the message. */
export function readStats(message: Buffer): Map<string, number> {
  const counters = new Map<string, number>();
  for (const { field, value } of readFields(message)) {
    if (field !== 1 || typeof value === 'number') continue;
    const parts = new Map(readFields(value).map((part) => [part.field, part.value]));
    counters.set(String(parts.get(1) ?? ''), Number(parts.get(2) ?? 0));
  }
  return counters;
}

function typed(name: string, value: Buffer): Buffer {
  return Buffer.concat([bytes(1, name), bytes(2, value)]);
}

/** Wire type 2: a length and that many bytes. */
function bytes(field: number, value: string | Buffer): Buffer {
  const content = Buffer.from(value as string);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}

/** Wire type 0. */
function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

/** Seven bits at a time, the lowest first. */
function varint(value: number): Buffer {
  const parts: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...parts, left]);
    parts.push((left % 128) | 128);
  }
}

interface Field {
  readonly field: number;
  readonly value: number | Buffer;
}

function readFields(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const readVarint = () => {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('a message of the proxy is cut short');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const key = readVarint();
    const [field, wireType] = [key >> 3, key & 7];
    if (wireType === 0) fields.push({ field, value: readVarint() });
    else if (wireType === 2) {
      const length = readVarint();
      fields.push({ field, value: message.subarray(at, at + length) });
      at += length;
    } else throw new Error('a message of the proxy has a part of another kind');
  }
  return fields;
}
