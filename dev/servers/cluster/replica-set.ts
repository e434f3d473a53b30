// A MongoDB replica set of three, with elections like in production: after 10 s without a primary.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Document, MongoClient } from 'mongodb';
import type { Disposal } from '../../../lib/platform/disposal.ts';
import { startGuarded } from '../guarded-process.ts';
import { mongodArgs, replicaSetName } from '../mongodb.ts';
import { startTimeoutMs, waitForPort } from '../wait-until-ready.ts';
import { Member } from './member.ts';

const commandTimeoutMs = 1000;
// Longer than the 10 s in which the others can catch up.
const stepDownSeconds = 15;
const stepDownTimeoutMs = 15_000;
const pollIntervalMs = 50;
// The default, as in production.
const electionTimeoutMs = 10_000;
// These and the next ones are as docs/running.md requires for every replica set.
const settings = {
  electionTimeoutMillis: electionTimeoutMs,
  catchUpTimeoutMillis: 1_000,
  heartbeatIntervalMillis: 250,
};
const serverParameters = ['oplogNetworkTimeoutBufferSeconds=1'];
const sizes = { oplogMegabytes: 512, cacheGigabytes: 0.5 };

interface ReplicaSetOptions {
  readonly open: Disposal;
  readonly binary: string;
  readonly folder: string;
  readonly ports: readonly number[];
  /** The ports at which clients and the other members reach the members, if not their own: those of proxies. */
  readonly reachedAt?: readonly number[];
  /** Allows commands that make a member fail. */
  readonly testCommands?: boolean;
  /** The environment of a member. The default is that of this process. */
  readonly envOf?: (name: string) => NodeJS.ProcessEnv;
}

export interface ReplicaSet {
  readonly uri: string;
  readonly members: readonly Member[];
  /** Returns the primary. Throws if there is none within 60 s. */
  primary(): Promise<Member>;
  /** Makes the primary step down and not stand for election for a while. */
  stepDown(): Promise<void>;
  /** Checks whether there is one primary and the others follow it. */
  isWhole(): Promise<boolean>;
  /** Sends a command to one member. */
  command(member: Member, content: Document): Promise<Document>;
}

/** Starts the members with new data, initiates the set, and waits for a primary. */
export async function startReplicaSet(options: ReplicaSetOptions): Promise<ReplicaSet> {
  const { ports, reachedAt = ports } = options;
  const members = ports.map((port, index) => mongodMember(options, port, `mongod-${index + 1}`));
  for (const member of members) options.open.use(member);
  const set: ReplicaSet = {
    uri: `mongodb://${reachedAt.map((port) => `127.0.0.1:${port}`).join(',')}/?replicaSet=${replicaSetName}`,
    members,
    async primary() {
      const port = await waitForPrimary(ports);
      const member = members[ports.indexOf(port)];
      if (member === undefined) throw new Error(`no member has port ${port}`);
      return member;
    },
    async stepDown() {
      await command(
        await waitForPrimary(ports),
        { replSetStepDown: stepDownSeconds },
        stepDownTimeoutMs,
      );
    },
    isWhole: () =>
      checkSecondaries(ports)
        .then(() => Promise.any(ports.map(ifPrimary)))
        .then(
          () => true,
          () => false,
        ),
    command: (member, content) => command(ports[members.indexOf(member)] ?? 0, content),
  };
  await Promise.all(members.map((member) => member.start()));
  await initiate(ports, reachedAt);
  await standForElection(ports);
  await waitForPrimary(ports);
  await waitForSecondaries(ports);
  return set;
}

function mongodMember(options: ReplicaSetOptions, port: number, name: string): Member {
  const folder = join(options.folder, name);
  const dbPath = join(folder, 'data');
  const ofTests = options.testCommands === true ? ['enableTestCommands=1'] : [];
  const parameters = [...serverParameters, ...ofTests];
  const args = mongodArgs({ ...sizes, dbPath, port, parameters });
  return new Member({
    name,
    async spawn() {
      await mkdir(dbPath, { recursive: true });
      const logFile = join(folder, 'mongod.log');
      return startGuarded({
        name,
        binary: options.binary,
        args,
        logFile,
        env: options.envOf?.(name),
      });
    },
    ready: (server) => waitForPort(server, port),
  });
}

async function initiate(ports: readonly number[], reachedAt: readonly number[]): Promise<void> {
  const members = reachedAt.map((port, _id) => ({ _id, host: `127.0.0.1:${port}` }));
  await command(ports[0] ?? 0, { replSetInitiate: { _id: replicaSetName, members, settings } });
}

/** Makes the first member primary. Otherwise it would start an election only after 10 s. */
async function standForElection(ports: readonly number[]): Promise<void> {
  const standUp = () => command(ports[0] ?? 0, { replSetStepUp: 1 });
  await until('no candidate', standUp, electionTimeoutMs).catch(() => undefined);
}

async function waitForPrimary(ports: readonly number[]): Promise<number> {
  // The first to respond, because a frozen or dead member does not.
  return until('no primary', () => Promise.any(ports.map(ifPrimary)));
}

/** Waits, because a member that is still copying the data could not be elected. */
async function waitForSecondaries(ports: readonly number[]): Promise<void> {
  await until('members that are not in step', () => checkSecondaries(ports));
}

async function checkSecondaries(ports: readonly number[]): Promise<void> {
  const hellos = await Promise.all(ports.map((port) => command(port, { hello: 1 })));
  const secondaries = hellos.filter(({ secondary }) => secondary === true);
  if (secondaries.length < ports.length - 1) throw new Error('some are not secondaries');
}

/** Returns the first result of `check` that is not an error. */
async function until<Result>(
  fault: string,
  check: () => Promise<Result>,
  timeoutMs = startTimeoutMs,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (cause) {
      if (performance.now() > deadline) {
        throw new Error(`the replica set has ${fault} after ${timeoutMs / 1000} s`, { cause });
      }
    }
    await delay(pollIntervalMs);
  }
}

async function ifPrimary(port: number): Promise<number> {
  const { isWritablePrimary } = await command(port, { hello: 1 });
  if (isWritablePrimary !== true) throw new Error(`the member on port ${port} is no primary`);
  return port;
}

async function command(
  port: number,
  content: Document,
  timeoutMs = commandTimeoutMs,
): Promise<Document> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    socketTimeoutMS: timeoutMs,
  });
  try {
    return await client.db('admin').command(content);
  } finally {
    await client.close();
  }
}
