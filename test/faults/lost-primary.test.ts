// The primary is killed under load while receivers fail: every acknowledged event is delivered.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Disposal } from '../../lib/platform/disposal.ts';
import { newId } from '../../lib/platform/ids.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type FragileSet, startFragileSet } from '../support/new-primary.ts';
import { startReceiver } from '../support/receivers.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { reportChange } from '../support/webhook-calls.ts';

const callersAtOnce = 10;
const changesBefore = 20;
const changesUnlearnt = 30;
const faultsMin = 10;

const open = new Disposal();
let set: FragileSet;
let installation: Installation;
let client: ApiClient;
let roles: RoleProcess[];

beforeAll(async () => {
  set = await startFragileSet(open);
  // First attempts are left to workflows, which read the event.
  const env = { MONGODB_URI: set.uri, HERALD_EARLY_FIRST_ATTEMPTS: 'false' };
  installation = open.use(await createInstallation(env));
  const seen = new Set<string>();
  const receiver = open.use(
    await startReceiver((response, { headers }) => {
      const eventId = String(headers['webhook-id']);
      response.writeHead(seen.has(eventId) ? 200 : 500).end();
      seen.add(eventId);
    }),
  );
  const retryScheduleMs = Array(5).fill(1_000);
  await insertWebhook(installation, { url: receiver.url, retryScheduleMs });
  roles = await Promise.all([
    startRole('api', installation.env),
    startRole('worker', installation.env),
  ]);
  for (const role of roles) open.use(role);
  client = createApiClient(`http://127.0.0.1:${roles[0]?.port}`, installation.app);
});

afterAll(() => open[Symbol.asyncDispose]());

const linesOf = (name: string) =>
  roles.flatMap(({ lines }) => lines.filter(({ msg }) => msg === name));

test('no event is lost with the primary that acknowledged it, although the next primary does not show it yet', async () => {
  const acknowledged: string[] = [];
  const load = { isOver: false };
  const callers = Array.from({ length: callersAtOnce }, async () => {
    while (!load.isOver) acknowledged.push(await reportChange(client, { uid: newId('agt') }));
  });
  await waitFor(() => acknowledged.length >= changesBefore, { what: 'the first changes' });
  await set.stopLearning();
  const learnt = acknowledged.length;
  await waitFor(() => acknowledged.length >= learnt + changesUnlearnt, { what: 'later changes' });
  await set.losePrimary();
  load.isOver = true;
  // By then attempts have used the new primary.
  const met = () => linesOf('activity.faulted').length + linesOf('delivery.event_missing').length;
  await waitFor(() => met() >= faultsMin, { what: 'attempts at the new primary' });
  await set.heal();
  await Promise.all(callers);
  const delivered = { eventId: { $in: acknowledged }, state: 'delivered' } as const;
  const count = () => installation.store.deliveries.countDocuments(delivered);
  await waitFor(async () => (await count()) === acknowledged.length, {
    what: `${acknowledged.length} deliveries`,
    state: count,
  });
  expect(linesOf('delivery.event_missing')).toEqual([]);
});
