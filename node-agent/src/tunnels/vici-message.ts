/**
 * Messages of VICI, the interface of strongSwan's daemon (src/libcharon/plugins/vici/README.md there): a tree of sections,
 * lists and values. Every value is bytes; those that we read are text.
 */
export interface Message {
  readonly [key: string]: string | readonly string[] | Message;
}

const SECTION_START = 1;
const SECTION_END = 2;
const KEY_VALUE = 3;
const LIST_START = 4;
const LIST_ITEM = 5;
const LIST_END = 6;
const MAX_NAME = 0xff;
const MAX_VALUE = 0xffff;

/** What a command carries. `Buffer`s are sent as they are. */
export interface Arguments {
  readonly [key: string]: string | number | Buffer | readonly string[] | Arguments;
}

export function encodeMessage(values: Arguments): Buffer {
  const parts: Buffer[] = [];
  writeSection(parts, values);
  return Buffer.concat(parts);
}

function writeSection(parts: Buffer[], section: Arguments): void {
  for (const [key, value] of Object.entries(section)) {
    if (isList(value)) {
      parts.push(Buffer.from([LIST_START]), encodeName(key));
      for (const item of value) parts.push(Buffer.from([LIST_ITEM]), encodeValue(item));
      parts.push(Buffer.from([LIST_END]));
    } else if (typeof value === 'object' && !Buffer.isBuffer(value)) {
      parts.push(Buffer.from([SECTION_START]), encodeName(key));
      writeSection(parts, value);
      parts.push(Buffer.from([SECTION_END]));
    } else {
      parts.push(Buffer.from([KEY_VALUE]), encodeName(key), encodeValue(value));
    }
  }
}

function isList(value: Arguments[string]): value is readonly string[] {
  return Array.isArray(value);
}

export function encodeName(name: string): Buffer {
  const bytes = Buffer.from(name);
  if (bytes.length > MAX_NAME) throw new Error('a name for strongSwan is too long');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function encodeValue(value: string | number | Buffer): Buffer {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
  if (bytes.length > MAX_VALUE) throw new Error('a value for strongSwan is too long');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

type Draft = { [key: string]: string | string[] | Draft };

/** Throws for bytes that are not a message. */
export function decodeMessage(bytes: Buffer): Message {
  let at = 0;
  const take = (length: number) => {
    if (at + length > bytes.length) throw new Error('strongSwan sent half a message');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const takeName = () => take(take(1).readUInt8()).toString();
  const takeValue = () => take(take(2).readUInt16BE()).toString();
  const root = newSection();
  const open = [root];
  let list: string[] | undefined;
  while (at < bytes.length) {
    const kind = take(1).readUInt8();
    const section = open.at(-1);
    if (!section) throw new Error('strongSwan closed a section that it never opened');
    if (kind === SECTION_START) {
      const inner = newSection();
      section[takeName()] = inner;
      open.push(inner);
    } else if (kind === SECTION_END) open.pop();
    else if (kind === KEY_VALUE) section[takeName()] = takeValue();
    else if (kind === LIST_START) {
      list = [];
      section[takeName()] = list;
    } else if (kind === LIST_ITEM && list) list.push(takeValue());
    else if (kind === LIST_END) list = undefined;
    else throw new Error('strongSwan sent an invalid message');
  }
  return root;
}

/** Without a prototype: names come from outside, and `__proto__` must be a name like any other. */
function newSection(): Draft {
  return Object.create(null) as Draft;
}
