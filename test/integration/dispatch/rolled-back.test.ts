// After a restore of MongoDB to an earlier moment: no count starts again below the numbers that others have seen.
import { decodeJwt } from 'jose';
import { raiseTokenEpochs } from '../../../lib/identity/token-epochs.ts';
import { raiseFloor, raiseSequences } from '../../../lib/mongo/raise-counts.ts';
import { dayMs } from '../../../lib/platform/duration.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { type Dump, dump } from '../../support/dump.ts';
import { insertWebhook, newEvent } from '../../support/fixtures.ts';
import { giveNumber } from '../../support/issue-number.ts';
import { startService, type TestService } from '../../support/service.ts';
import { signIn, verify } from '../api/token-forge.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(() => service?.[Symbol.asyncDispose]());

/** Restores the dump, and raises the counts like `start-missing --mongodb-rolled-back`. */
async function rollBack(dumped: Dump, now = new Date()): Promise<void> {
  const { store } = service;
  for (const { name } of await store.db.listCollections({}, { nameOnly: true }).toArray()) {
    await store.db.collection(name).deleteMany({});
    const documents = dumped.get(name) ?? [];
    if (documents.length > 0) await store.db.collection(name).insertMany([...documents]);
  }
  await raiseFloor(store, now);
  await raiseTokenEpochs(store, now);
  await raiseSequences(store, now);
}

/** Reports a change of each agent, all concurrently. Returns their sequence numbers. */
async function report(uids: readonly string[]): Promise<number[]> {
  return Promise.all(
    uids.map(async (uid) => {
      const { body } = await service.call('POST', '/changes', {
        body: { event: 'agent.updated', data: { uid, externalTenantId: 'tenant-1' } },
      });
      const event = await service.store.events.findOne({ _id: String(body['eventId']) });
      return event?.sequence ?? 0;
    }),
  );
}

test('a resource first reported after the backup gets a number above its old ones', async () => {
  const uids = Array.from({ length: 3 }, () => newId('agt', new Date()));
  const backup = await dump(service.store);
  await report(uids);
  const before = await report(uids);
  expect(before).toEqual(uids.map(() => Math.max(...before)));
  await rollBack(backup);
  for (const number of await report(uids)) expect(number).toBeGreaterThan(Math.max(...before));
});

test('every resource of the backup continues with a number above its old ones', async () => {
  const uid = newId('agt', new Date());
  const kept = await report([uid]);
  const backup = await dump(service.store);
  await report([uid]);
  const before = await report([uid]);
  await rollBack(backup);
  const after = await report([uid]);
  expect(Math.min(...after)).toBeGreaterThan(Math.max(...kept, ...before));
});

test('two restores of one backup give no number twice', async () => {
  const [old, late] = [newId('agt', new Date()), newId('agt', new Date())];
  await report([old]);
  const backup = await dump(service.store);
  // Later than the restores of the other tests.
  const nowMs = Date.now() + 10 * dayMs;
  await rollBack(backup, new Date(nowMs));
  const first = await report([old, late]);
  await rollBack(backup, new Date(nowMs + 10_000));
  const second = await report([old, late]);
  expect(Math.min(...second)).toBeGreaterThan(Math.max(...first));
});

test('numbers of partitions are not raised, because they must have no gaps', async () => {
  const { store } = service;
  const now = new Date();
  const ordered = await insertWebhook(service, { url: 'http://127.0.0.1:9', ordering: 'resource' });
  const made = { ...newEvent(service, [ordered._id], now), dispatchedAt: now };
  await store.events.insertOne(made);
  await giveNumber(service, made, ordered._id);
  await rollBack(await dump(store));
  expect((await giveNumber(service, made, ordered._id)).n).toBe(2);
  const later = newEvent(service, [ordered._id], now);
  expect((await giveNumber(service, later, ordered._id)).n).toBe(1);
});

test('a token of a user revoked after the backup stays revoked, and a new one has higher counts', async () => {
  const externalId = newId('usr', new Date());
  const early = await signIn(service, { externalId });
  const { sub } = decodeJwt(early);
  const backup = await dump(service.store);
  await service.call('POST', `/sdkusers/${sub}/tokens/revoke`);
  await service.call('POST', '/sdkusers/tokens/revoke');
  const late = decodeJwt(await signIn(service, { externalId }));
  await rollBack(backup);
  expect(await verify(service, early)).toEqual({ active: false, reason: 'revoked' });
  const text = await signIn(service, { externalId });
  expect(await verify(service, text)).toMatchObject({ active: true });
  // A verifier compares the user's and the application's part, each with the highest that it knows.
  const next = decodeJwt(text);
  expect(Number(next['appEpoch'])).toBeGreaterThan(Number(late['appEpoch']));
  const ofUser = (claims: typeof next) => Number(claims['epoch']) - Number(claims['appEpoch']);
  expect(ofUser(next)).toBeGreaterThan(ofUser(late));
});
