// MongoDB is restored to the middle of the run, by the steps of docs/backup.md: what the backup recorded is delivered,
// nothing else is sent, numbers go on above all earlier ones, and tokens are refused.
import type { Document } from 'mongodb';
import { type Application, type Scene } from './application.ts';
import { report } from './changes.ts';
import { readDocuments, settle } from './documents.ts';
import type { History, Violation } from './history.ts';
import type { Receivers } from './receivers.ts';
import { waitFor } from '../support/wait-for.ts';
import type { World } from './world.ts';

interface Backup {
  documents: Awaited<ReturnType<World['backup']>>;
  /** The API keys of that time, by application. */
  apiKeys: ReadonlyMap<string, string>;
}

interface Facts {
  world: World;
  scene: Scene;
  receivers: Receivers;
  history: History;
}

interface RestoreResult {
  /** In the backup. */
  events: number;
  violations: Violation[];
}

const reportsPerApplication = 10;
// A fault may interrupt it.
const backupTimeoutMs = 120_000;

export async function takeBackup(
  world: World,
  applications: readonly Application[],
): Promise<Backup> {
  const apiKeys = new Map(applications.map(({ app }) => [app.appUid, app.apiKey]));
  const options = { what: 'a backup', timeoutMs: backupTimeoutMs };
  const documents = await waitFor(() => world.backup().catch(() => false as const), options);
  return { documents, apiKeys };
}

export async function restoreBackup(facts: Facts, backup: Backup): Promise<RestoreResult> {
  const { world, scene, receivers } = facts;
  const seen = receivers.requests.length;
  // Every other seed also loses Temporal.
  await world.restore(backup.documents, { isTemporalLost: facts.history.seed % 2 === 0 });
  for (const application of scene.applications) {
    const apiKey = backup.apiKeys.get(application.app.appUid) ?? '';
    application.app = { ...application.app, apiKey };
    await resumeInactive(facts, application);
    for (let n = 0; n < reportsPerApplication; n += 1) await report(scene, application);
  }
  const open = await settle(world.store.db);
  const before = backup.documents.get('events') ?? [];
  const { events, deliveries } = await readDocuments(world.store.db);
  const violations = [
    ...Object.entries(open).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : [])),
    ...missing(events, deliveries),
    ...untrue(deliveries, receivers),
    ...invented([...before, ...events], receivers, seen),
    ...numbersAgain(facts.history, { before, after: events }),
    ...(await tokensAccepted(facts)),
  ].map((what) => ({ rule: 'restore', what, history: [] }));
  return { events: before.length, violations };
}

/** The backup may hold webhooks that were paused at that time. */
async function resumeInactive({ scene }: Facts, { app }: Application): Promise<void> {
  const { body } = await scene.caller.call(app, 'GET /webhooks');
  const webhooks = body as unknown as { uid: string; active: boolean }[];
  for (const { uid } of webhooks.filter(({ active }) => !active))
    await scene.caller.call(app, `PATCH /webhooks/${uid}`, { body: { active: true } });
}

function missing(events: readonly Document[], deliveries: readonly Document[]): string[] {
  const made = new Set(deliveries.map(({ _id }) => String(_id)));
  return events
    .flatMap(({ _id, webhookUids }) => (webhookUids as string[]).map((uid) => `${_id}/${uid}`))
    .filter((key) => !made.has(key))
    .map((key) => `${key} was not delivered`);
}

/** Returns deliveries that are recorded as delivered and were never accepted by a receiver. */
function untrue(deliveries: readonly Document[], { requests }: Receivers): string[] {
  const accepted = new Set(
    requests
      .filter(({ response: { status } }) => status !== null && status < 300)
      .map(({ eventId, headers }) => `${eventId}/${headers['x-webhook-uid']}`),
  );
  return deliveries
    .filter(({ state, _id }) => state === 'delivered' && !accepted.has(String(_id)))
    .map(({ _id }) => `${_id} is delivered, and no receiver accepted it`);
}

function invented(events: readonly Document[], { requests }: Receivers, seen: number): string[] {
  const known = new Set(events.map(({ _id }) => String(_id)));
  return requests
    .slice(seen)
    .filter(({ eventId }) => !known.has(eventId))
    .map(({ eventId, path }) => `${eventId} was sent to ${path}, and no document has it`);
}

/** Returns the new events whose number an earlier event of the resource had. */
function numbersAgain(
  { documents }: History,
  { before, after }: { before: readonly Document[]; after: readonly Document[] },
): string[] {
  const resourceOf = (event: Document) =>
    `${event['appUid']}/${event['entity']}/${event['resourceUid']}`;
  const highest = new Map<string, number>();
  for (const event of documents.events) {
    const resource = resourceOf(event);
    const sequence = Number(event['sequence'] ?? 0);
    highest.set(resource, Math.max(sequence, highest.get(resource) ?? 0));
  }
  const known = new Set(before.map(({ _id }) => String(_id)));
  return after
    .filter((event) => !known.has(String(event._id)) && event['syncUid'] === undefined)
    .filter(
      (event) => Number(event['sequence'] ?? Infinity) <= (highest.get(resourceOf(event)) ?? 0),
    )
    .map(
      (event) => `${event._id} has the number ${event['sequence']} of ${resourceOf(event)} again`,
    );
}

async function tokensAccepted({ scene }: Facts): Promise<string[]> {
  const accepted: string[] = [];
  for (const { app, tokens } of scene.applications) {
    const valid = tokens.filter(({ history }) => history.revocations.length === 0);
    for (const { token, history } of valid.slice(-5)) {
      const body = { authToken: token };
      const reply = await scene.caller.call(app, 'POST /sdkusers/token/verify', { body });
      const isRefused = reply.body['active'] === (false as never);
      if (!isRefused) accepted.push(`a token of ${history.userUid} is accepted (${reply.text})`);
    }
  }
  return accepted;
}
