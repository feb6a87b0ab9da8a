import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkAddresses, v2rayConfig } from './v2ray-config.ts';
import { addOutbound, addUser, queryStats, readStats, removeOutbound, removeUser } from './v2ray-messages.ts';
import { findV2ray } from './v2ray-program.ts';
import { v2rayUsers } from './v2ray-users.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'raha-v2ray-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Bytes in hexadecimal, with texts between them as they are. */
function message(...parts: (number | string)[]): string {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part))),
  ).toString('hex');
}

/** Field 1 is 0x0a, field 2 0x12, field 3 0x1a (each with a length); field 1 as a number is 0x08. */
test('users and ways out, as the protocol of the API writes them', () => {
  const id = '66ad4540-b58c-4ad2-9926-ea63445a9b57';
  const [account, add] = ['v2ray.core.proxy.vless.Account', 'v2ray.core.app.proxyman.command.AddUserOperation'];
  expect([account.length, add.length]).toEqual([30, 48]);
  expect(addUser('main', 'u7', id).toString('hex')).toBe(
    message(
      // The operation has 138 bytes, which takes two to write: 138, 1.
      ...[0x0a, 4, 'main', 0x12, 138, 1, 0x0a, 48, add, 0x12, 86, 0x0a, 84],
      ...[0x12, 2, 'u7', 0x1a, 78, 0x0a, 30, account, 0x12, 44, 0x0a, 36, id, 0x1a, 4, 'none'],
    ),
  );
  const remove = 'v2ray.core.app.proxyman.command.RemoveUserOperation';
  expect(removeUser('main', 'u7').toString('hex')).toBe(
    message(0x0a, 4, 'main', 0x12, 59, 0x0a, 51, remove, 0x12, 4, 0x0a, 2, 'u7'),
  );
  const [sender, freedom] = ['v2ray.core.app.proxyman.SenderConfig', 'v2ray.core.proxy.freedom.Config'];
  expect(addOutbound('u7', '10.69.1.2').toString('hex')).toBe(
    message(
      ...[0x0a, 93, 0x0a, 2, 'u7', 0x12, 48, 0x0a, 36, sender, 0x12, 8, 0x0a, 6, 0x0a, 4, 10, 69, 1, 2],
      ...[0x1a, 37, 0x0a, 31, freedom, 0x12, 2, 0x08, 2],
    ),
  );
  expect(removeOutbound('u7').toString('hex')).toBe(message(0x0a, 2, 'u7'));
  expect(queryStats('user>>>').toString('hex')).toBe(message(0x0a, 7, 'user>>>'));
});

test('counters are read, one without a value as zero; what is cut short is refused', () => {
  const stat = (name: string, ...value: number[]) => [
    0x0a,
    name.length + 2 + value.length,
    0x0a,
    name.length,
    name,
    ...value,
  ];
  const answer = Buffer.from(message(...stat('a', 0x10, 0x96, 0x01), ...stat('bc')), 'hex');
  expect(readStats(answer)).toEqual(
    new Map([
      ['a', 150],
      ['bc', 0],
    ]),
  );
  // Nine petabytes, the most that a report can say.
  const most = [0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f];
  expect(readStats(Buffer.from(message(...stat('a', ...most)), 'hex')).get('a')).toBe(2 ** 53 - 1);
  expect(() => readStats(answer.subarray(0, 1))).toThrow('cut short');
});

test('the configuration logs nothing, knows no user, and keeps them from what is inside', () => {
  const setup = { network: '10.69.0.1/16', path: '/news/live' };
  const text = v2rayConfig(setup, 3, { inboundPath: '/run/d', apiPath: '/run/a' });
  const { log, inbounds, outbounds, routing } = JSON.parse(text);
  expect(log).toEqual({ access: 'none', error: 'none', loglevel: 'none' });
  expect(inbounds.map(({ listen, port }: Record<string, unknown>) => [listen, port])).toEqual([
    ['/run/a', undefined],
    ['/run/d', undefined],
  ]);
  expect(inbounds[1].settings.clients).toEqual([]);
  // What has no way out goes nowhere: the first outbound is the one of everything else.
  expect(outbounds[0]).toEqual({ tag: 'nobody', protocol: 'blackhole' });
  expect(routing.rules[2]).toMatchObject({ outboundTag: 'nobody', ip: expect.arrayContaining(['10.0.0.0/8', '::/0']) });
  expect(routing.rules.slice(3)).toEqual(
    ['u0', 'u1', 'u2'].map((seat) => ({ type: 'field', user: [seat], outboundTag: seat })),
  );
  expect(linkAddresses(setup)).toEqual({ engine: '10.69.255.254', gateway: '10.69.255.253' });
});

test('a seat is used once, and what is known of users is for root alone', () => {
  const users = v2rayUsers(directory);
  const user = { name: 'a'.repeat(32), id: 'i', address4: '10.69.0.2', isSettled: true };
  expect(users.list()).toEqual([]);
  users.write({ ...user, seat: users.takeSeat() });
  users.remove(user.name);
  users.write({ ...user, seat: users.takeSeat() });
  expect(v2rayUsers(directory).list()).toEqual([{ ...user, seat: 1 }]);
  expect(statSync(join(directory, 'users')).mode & 0o777).toBe(0o700);
  users.freeSeats();
  expect(users.takeSeat()).toBe(0);
  for (const name of ['../../etc/shadow', '', 'A'.repeat(32)]) {
    expect(() => users.write({ ...user, name, seat: 0 })).toThrow();
    expect(users.find(name)).toBeUndefined();
  }
});

test('a program is used if it says that it is one that we know, and only root can change it', async () => {
  const says = (output: string) => ({
    run: async (_: string, [ask]: readonly string[]) => (ask === '-version' ? output : ''),
  });
  const four = await findV2ray(says('V2Ray 4.34.0 (V2Fly, a community-driven edition of V2Ray.)\nmore'), '/bin/true');
  expect([four.version, four.command('/run/c')]).toEqual(['4.34.0', ['/bin/true', '-config', '/run/c']]);
  const five = { run: async (_: string, [ask]: readonly string[]) => (ask === 'version' ? 'V2Ray 5.9.0 (x)' : '') };
  expect((await findV2ray(five, '/bin/true')).command('/run/c')).toEqual(['/bin/true', 'run', '-config', '/run/c']);
  await expect(findV2ray(says('Xray 1.8.0 (x)'), '/bin/true')).rejects.toThrow('no V2Ray');
  for (const path of ['bin/true', '/no/such/program', '/bin'])
    await expect(findV2ray(says(''), path)).rejects.toThrow('there is no program');
  const own = join(directory, 'engine');
  writeFileSync(own, '');
  // Its directory is in one where everybody may write.
  for (const mode of [0o777, 0o755]) {
    chmodSync(own, mode);
    await expect(findV2ray(says('V2Ray 4.34.0'), own)).rejects.toThrow('others than root');
  }
});
