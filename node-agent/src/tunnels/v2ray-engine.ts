import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRunFile, replaceRunFile } from '../platform/run-files.ts';
import type { Shell } from '../platform/shell.ts';
import type { ProxyEngine, ProxySetup, ProxyUser } from './proxy-engine.ts';
import { type EngineApi, openEngineApi, RefusedByEngine } from './v2ray-api.ts';
import { INBOUND, seatName, v2rayConfig } from './v2ray-config.ts';
import {
  addOutbound,
  addUser,
  HANDLER,
  queryStats,
  readStats,
  removeOutbound,
  removeUser,
  STATS,
} from './v2ray-messages.ts';
import { createV2rayProcess, type V2rayProcess } from './v2ray-process.ts';
import type { V2rayProgram } from './v2ray-program.ts';
import { type SeatedUser, type V2rayUsers, v2rayUsers } from './v2ray-users.ts';

export interface V2rayOptions {
  readonly interfaceName: string;
  readonly program: V2rayProgram;
  readonly runDirectory?: string;
  elapsedMs(): number;
}

const READY_MS = 20_000;
const STEP_MS = 50;
/** Calls over one connection, each of which mostly waits. */
const AT_ONCE = 50;
/** At least, and twice as many as are taken: when all have been used, the engine starts anew and open connections end. */
const LEAST_SEATS = 1_024;

/** V2Ray behind the proxy. What it knows of users it has in memory alone. */
export class V2rayEngine implements ProxyEngine {
  readonly #program: V2rayProgram;
  readonly #files: EngineFiles;
  readonly #process: V2rayProcess;
  readonly #users: V2rayUsers;
  readonly #elapsedMs: () => number;
  #running: { readonly setup: ProxySetup; readonly seats: number } | undefined;

  constructor(shell: Shell, options: V2rayOptions) {
    const { interfaceName, program, elapsedMs } = options;
    this.#program = program;
    this.#files = engineFiles(options);
    const { home, pidPath } = this.#files;
    this.#process = createV2rayProcess(shell, { interfaceName, home, pidPath, elapsedMs });
    this.#users = v2rayUsers(home);
    this.#elapsedMs = elapsedMs;
  }

  async start(setup: ProxySetup): Promise<boolean> {
    if (await this.#adopt(setup)) return true;
    await this.#launch(setup);
    return false;
  }

  async stop(): Promise<void> {
    this.#running = undefined;
    await this.#process.stop();
  }

  forget(): void {
    this.#users.forget();
    rmSync(this.#files.home, { recursive: true, force: true });
  }

  isAlive(): boolean {
    return this.#process.isAlive();
  }

  async add(wanted: readonly ProxyUser[]): Promise<void> {
    const changed = wanted.filter((user) => {
      const present = this.#users.find(user.name);
      return !present?.isSettled || present.id !== user.id || present.address4 !== user.address4;
    });
    await this.remove(changed.map(({ name }) => name));
    await this.#seat(changed);
  }

  async remove(names: readonly string[]): Promise<void> {
    await this.#dismiss(names.flatMap((name) => this.#users.find(name) ?? []));
  }

  listNames(): string[] {
    return this.#users.list().map(({ name }) => name);
  }

  async readBytes(): Promise<Map<string, number>> {
    const counters = await this.#withApi(async (api) =>
      readStats(await api.call(STATS, 'QueryStats', queryStats('user>>>'))),
    );
    const bytesOf = (user: string) =>
      ['uplink', 'downlink'].reduce((sum, way) => sum + (counters.get(`user>>>${user}>>>traffic>>>${way}`) ?? 0), 0);
    return new Map(this.#users.list().map(({ name, seat }) => [name, bytesOf(seatName(seat))]));
  }

  async #adopt(setup: ProxySetup): Promise<boolean> {
    const { hash, seats } = JSON.parse(readRunFile(this.#files.setupPath) ?? '{}') as { hash?: string; seats?: number };
    const isSame = this.isAlive() && hash === this.#hashOf(setup) && seats !== undefined;
    if (!isSame || !(await this.#answers())) return false;
    this.#running = { setup, seats };
    await this.#dismiss(this.#users.list().filter(({ isSettled }) => !isSettled));
    return true;
  }

  /** Starts it with everybody who was in. */
  async #launch(setup: ProxySetup): Promise<void> {
    const { home, configPath, setupPath } = this.#files;
    await this.#process.stop();
    // Until it has started, there is nothing that the next attempt could adopt.
    rmSync(setupPath, { force: true });
    const present = this.#users.list();
    for (const { name } of present) this.#users.remove(name);
    this.#users.freeSeats();
    let seats = LEAST_SEATS;
    while (seats < 2 * present.length) seats *= 2;
    for (const directory of [dirname(home), home]) {
      mkdirSync(directory, { recursive: true });
      chmodSync(directory, 0o711);
    }
    replaceRunFile(configPath, v2rayConfig(setup, seats, this.#files), 0o644);
    await this.#process.start(setup, this.#program.command(configPath));
    await this.#waitUntilReady();
    this.#running = { setup, seats };
    replaceRunFile(setupPath, JSON.stringify({ seats, hash: this.#hashOf(setup) }));
    await this.#seat(present.filter(({ isSettled }) => isSettled));
  }

  async #waitUntilReady(): Promise<void> {
    const { inboundPath } = this.#files;
    const deadline = this.#elapsedMs() + READY_MS;
    while (!existsSync(inboundPath) || !(await this.#answers())) {
      if (!this.isAlive() || this.#elapsedMs() > deadline) throw new Error(`${this.#program.path} does not start`);
      await sleep(STEP_MS);
    }
    // The web server is another user of this machine.
    chmodSync(inboundPath, 0o666);
  }

  async #seat(wanted: readonly ProxyUser[]): Promise<void> {
    if (!this.#running || wanted.length === 0) return;
    const { setup, seats } = this.#running;
    if (this.#users.takenSeats() + wanted.length > seats) {
      // As if they were in.
      for (const { name, id, address4 } of wanted) this.#users.write({ name, id, address4, seat: 0, isSettled: true });
      await this.#launch(setup);
      return;
    }
    await this.#forEach(wanted, async (api, { name, id, address4 }) => {
      const seat = this.#users.takeSeat();
      this.#users.write({ name, id, address4, seat, isSettled: false });
      await api.call(HANDLER, 'AddOutbound', addOutbound(seatName(seat), address4));
      await api.call(HANDLER, 'AlterInbound', addUser(INBOUND, seatName(seat), id));
      this.#users.write({ name, id, address4, seat, isSettled: true });
    });
  }

  /** No user, no way out, and then no connection that has found it before. */
  async #dismiss(leaving: readonly SeatedUser[]): Promise<void> {
    // All of them first: an engine that is started anew after a failure lets in nobody who was leaving.
    for (const user of leaving) this.#users.write({ ...user, isSettled: false });
    await this.#forEach(leaving, async (api, user) => {
      await api.call(HANDLER, 'AlterInbound', removeUser(INBOUND, seatName(user.seat))).catch(ignoreAbsence);
      await api.call(HANDLER, 'RemoveOutbound', removeOutbound(seatName(user.seat)));
    });
    await this.#process.endConnections(leaving.map(({ address4 }) => address4));
    for (const { name } of leaving) this.#users.remove(name);
  }

  async #forEach<T>(list: readonly T[], work: (api: EngineApi, one: T) => Promise<void>): Promise<void> {
    if (list.length === 0) return;
    await this.#withApi(async (api) => {
      for (let at = 0; at < list.length; at += AT_ONCE)
        await Promise.all(list.slice(at, at + AT_ONCE).map((one) => work(api, one)));
    });
  }

  async #withApi<T>(work: (api: EngineApi) => Promise<T>): Promise<T> {
    const api = openEngineApi(this.#files.apiPath);
    try {
      return await work(api);
    } finally {
      api.close();
    }
  }

  async #answers(): Promise<boolean> {
    return await this.#withApi((api) => api.call(STATS, 'QueryStats', queryStats('nothing'))).then(
      () => true,
      () => false,
    );
  }

  /** With the program, so that another version is started anew. */
  #hashOf(setup: ProxySetup): string {
    const { path, version } = this.#program;
    return createHash('sha256')
      .update(JSON.stringify([setup, path, version]))
      .digest('hex');
  }
}

interface EngineFiles {
  readonly home: string;
  readonly configPath: string;
  readonly setupPath: string;
  readonly pidPath: string;
  readonly inboundPath: string;
  readonly apiPath: string;
}

function engineFiles({ interfaceName, runDirectory = '/run/raha' }: Omit<V2rayOptions, 'program'>): EngineFiles {
  const home = join(runDirectory, interfaceName);
  return {
    home,
    configPath: join(home, 'config.json'),
    setupPath: join(home, 'setup'),
    pidPath: join(home, 'pid'),
    inboundPath: join(home, 'inbound/socket'),
    apiPath: join(home, 'api/socket'),
  };
}

/** For an agent without a program: ends the engine that one with a program has left, which lets in the users of then. */
export async function endV2ray(shell: Shell, options: Omit<V2rayOptions, 'program'>): Promise<void> {
  const { interfaceName, elapsedMs } = options;
  const { home, pidPath } = engineFiles(options);
  await createV2rayProcess(shell, { interfaceName, home, pidPath, elapsedMs }).stop();
  rmSync(home, { recursive: true, force: true });
}

function ignoreAbsence(error: unknown): Buffer {
  if (error instanceof RefusedByEngine && error.message.includes('not found')) return Buffer.alloc(0);
  throw error;
}
