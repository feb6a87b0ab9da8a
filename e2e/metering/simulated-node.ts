import type { DesiredState, Peer, UsageReply, UsageReport } from '@raha/contract/node/protocol.ts';
import { applyOrders, findBreak, finishRemovals, observe, passLimit } from '../../node-agent/src/metering/usage.ts';
import { mintEpoch } from '../../node-agent/src/metering/usage-epoch.ts';
import { acknowledge, type NodeStatus, nextReport } from '../../node-agent/src/metering/usage-report.ts';
import {
  type Counters,
  decodeUsage,
  encodeUsage,
  type Reading,
  startUsage,
  type UsageState,
} from '../../node-agent/src/metering/usage-state.ts';

/**
 * A VPN server in virtual time: the agent's real metering on a kernel made of numbers. The kernel enforces leases packet
 * by packet like the firewall does, and knows the truth.
 */
export interface Kernel {
  bootId: string;
  epoch: string | null;
  counters: Map<number, Counters>;
  limits: Map<number, bigint>;
}

export interface Machine {
  kernel: Kernel;
  memory: UsageState;
  /** The last durable state. States are immutable, so they are encoded only when necessary. */
  disk: UsageState;
  applied: number;
}

export type Mint = () => string;

const status: NodeStatus = {
  tunnels: [],
  load: 0.1,
  protocols: ['wireguard'],
  agentVersion: 'simulated',
  ageMs: 0,
  blockedQueries: [],
  blockedNames: 0,
  wireguardPorts: [],
};

export function newMachine(mint: Mint): Machine {
  const epoch = mint();
  const bootId = mint();
  const memory = startUsage(epoch, bootId);
  const kernel = { bootId, epoch, counters: new Map(), limits: new Map() };
  return { kernel, memory, disk: memory, applied: 0 };
}

/** A snapshot of a whole machine: memory, disk and kernel, as a hypervisor takes it. */
export function cloneMachine(machine: Machine): Machine {
  const { kernel } = machine;
  return {
    ...machine,
    kernel: { ...kernel, counters: new Map(kernel.counters), limits: new Map(kernel.limits) },
  };
}

/** Sends packets; each passes whole or not at all. Returns the bytes that passed. */
export function passTraffic(
  machine: Machine,
  slot: number,
  packets: readonly { up: boolean; bytes: number }[],
): number {
  const { kernel } = machine;
  let passed = 0;
  for (const packet of packets) {
    const counters = kernel.counters.get(slot);
    if (!counters) continue;
    if (counters.up + counters.down + BigInt(packet.bytes) > (kernel.limits.get(slot) ?? 0n)) continue;
    const bytes = BigInt(packet.bytes);
    kernel.counters.set(
      slot,
      packet.up ? { ...counters, up: counters.up + bytes } : { ...counters, down: counters.down + bytes },
    );
    passed += packet.bytes;
  }
  return passed;
}

/** Reads the kernel; when continuity is lost, closes the epoch and rebuilds the table. Durable afterwards. */
export function takeSample(machine: Machine, mint: Mint): void {
  const observation = observe(machine.memory, readingOf(machine.kernel));
  if (observation.kind === 'observed') machine.memory = observation.state;
  else beginAnew(machine, mint);
  const leaving: string[] = [];
  for (const [id, { presence }] of machine.memory.configs) if (presence === 'removing') leaving.push(id);
  machine.memory = finishRemovals(machine.memory, readingOf(machine.kernel), leaving);
  machine.disk = machine.memory;
}

/** The agent is killed and restarts from its disk, with the present kernel. */
export function restartAgent(machine: Machine, mint: Mint): void {
  machine.memory = decodeUsage(encodeUsage(machine.disk));
  machine.applied = 0;
  if (findBreak(machine.memory, machine.kernel)) beginAnew(machine, mint);
  takeSample(machine, mint);
  enforce(machine);
}

/** Power off and on: the kernel has lost everything. */
export function reboot(machine: Machine, mint: Mint): void {
  machine.kernel = { bootId: mint(), epoch: null, counters: new Map(), limits: new Map() };
  restartAgent(machine, mint);
}

/** Somebody flushes the firewall: the table is lost, the machine continues. */
export function flushTable(machine: Machine, mint: Mint): void {
  Object.assign(machine.kernel, { epoch: null, counters: new Map(), limits: new Map() });
  takeSample(machine, mint);
}

export function makeReport(machine: Machine): UsageReport {
  const next = nextReport(machine.memory, status);
  machine.memory = next.state;
  machine.disk = machine.memory;
  return next.report;
}

/** Applies the reply; true when the control plane requested a new epoch. */
export function takeReply(machine: Machine, report: UsageReport, reply: UsageReply, mint: Mint): boolean {
  const answered = acknowledge(machine.memory, report, reply);
  machine.memory = answered.state;
  if (answered.mustMintEpoch) {
    const epoch = mint();
    machine.memory = mintEpoch(machine.memory, {
      epoch,
      bootId: machine.kernel.bootId,
      counters: readingOf(machine.kernel).counters,
      old: 'abandon',
      agentVersion: status.agentVersion,
    });
    machine.kernel.epoch = epoch;
  }
  if (answered.mustMintEpoch || answered.leased.length > 0) enforce(machine);
  machine.disk = machine.memory;
  return answered.mustMintEpoch;
}

export function takeDesiredState(machine: Machine, state: DesiredState): void {
  if (state.kind === 'unchanged') return;
  const removed = state.kind === 'delta' ? state.removed : [...state.removed, ...unwanted(machine.memory, state.peers)];
  const orders = state.peers.map((peer) => {
    const slot = slotOf(peer);
    if (!machine.kernel.counters.has(slot)) machine.kernel.counters.set(slot, { up: 0n, down: 0n });
    return { id: peer.id, slot, blocked: peer.blocked, lease: peer.lease };
  });
  machine.memory = applyOrders(machine.memory, orders, removed);
  machine.applied = state.generation;
  enforce(machine);
  machine.disk = machine.memory;
}

/** Bytes that the kernel has passed and the control plane has not acknowledged. */
export function unacknowledged(machine: Machine): number {
  let total = 0;
  for (const config of machine.memory.configs.values()) {
    const counters = machine.kernel.counters.get(config.slot);
    const counted = counters
      ? Number(counters.up + counters.down - config.base.up - config.base.down)
      : config.up + config.down;
    total += Math.max(counted, config.up + config.down) - config.acknowledged.up - config.acknowledged.down;
  }
  return total;
}

/** Bytes that passed since the last durable reading: what a power cut loses. */
export function crashTail(machine: Machine): number {
  let total = 0;
  for (const [slot, counters] of machine.kernel.counters) {
    const config = [...machine.disk.configs.values()].find((candidate) => candidate.slot === slot);
    const durable = config ? config.base.up + config.base.down + BigInt(config.up + config.down) : 0n;
    total += Number(counters.up + counters.down - durable);
  }
  return total;
}

export function slotOf({ address4 }: Pick<Peer, 'address4'>): number {
  const fourth = address4.lastIndexOf('.');
  const third = address4.lastIndexOf('.', fourth - 1);
  return Number(address4.slice(third + 1, fourth)) * 256 + Number(address4.slice(fourth + 1));
}

function unwanted(memory: UsageState, peers: readonly Peer[]): string[] {
  const requested = new Set(peers.map(({ id }) => id));
  return [...memory.configs.keys()].filter((id) => !requested.has(id));
}

function beginAnew(machine: Machine, mint: Mint): void {
  const epoch = mint();
  machine.memory = mintEpoch(machine.memory, {
    epoch,
    bootId: machine.kernel.bootId,
    counters: null,
    old: 'close',
    agentVersion: status.agentVersion,
  });
  machine.kernel.epoch = epoch;
  machine.kernel.limits = new Map();
  machine.kernel.counters = new Map(
    [...machine.memory.configs.values()].map((config) => [config.slot, { up: 0n, down: 0n }]),
  );
  enforce(machine);
}

/** Applies changes of limits to the kernel; readings make none. */
function enforce(machine: Machine): void {
  const limits = new Map<number, bigint>();
  for (const config of machine.memory.configs.values()) limits.set(config.slot, passLimit(config));
  machine.kernel.limits = limits;
}

/** The present kernel, valid until the next packet passes. */
function readingOf({ epoch, bootId, counters }: Kernel): Reading {
  return { epoch, bootId, counters };
}
