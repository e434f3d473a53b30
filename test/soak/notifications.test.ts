// A receiver that is down for five days (here two minutes), with api and worker killed at each change of its state.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OperationsEventName, operationsEventNames } from '../../lib/model/event-name.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { createApiClient } from '../support/api-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

const env = { HERALD_DEACTIVATE_AFTER: '1m' };
const open = new Disposal();
let installation: Installation;
let roles: { api: RoleProcess; worker: RoleProcess };
let subject: Receiver;
let isDown = true;
/** The notices that the operations webhook got, by event ID: a repeated delivery is not a second notice. */
const told = new Map<string, string>();

beforeAll(async () => {
  installation = open.use(await createInstallation(env));
  await startRoles();
  subject = open.use(
    await startReceiver((response) => response.writeHead(isDown ? 503 : 200).end()),
  );
});

afterAll(async () => {
  await roles?.api[Symbol.asyncDispose]();
  await roles?.worker[Symbol.asyncDispose]();
  await open[Symbol.asyncDispose]();
});

async function startRoles(): Promise<void> {
  const [api, worker] = await Promise.all([
    startRole('api', installation.env),
    startRole('worker', installation.env),
  ]);
  roles = { api, worker };
}

async function killRoles(): Promise<void> {
  await Promise.all([roles.api.end('SIGKILL'), roles.worker.end('SIGKILL')]);
  await startRoles();
}

const client = () => createApiClient(`http://127.0.0.1:${roles.api.port}`, installation.app);

const namesTold = (): string[] =>
  [...told.values()].filter((name) => name !== 'delivery.exhausted');

/** Reports changes and kills all processes, each time later in the attempts, until `event` is recorded. */
async function failUntil(event: OperationsEventName): Promise<void> {
  const isRecorded = async () => (await installation.store.events.findOne({ event })) !== null;
  for (let kills = 0; !(await isRecorded()); kills += 1) {
    expect(kills).toBeLessThan(40);
    for (let count = 0; count < 3; count += 1) await reportChange(client());
    await sleep((37 * kills) % 400);
    await killRoles();
  }
  await killRoles();
}

test('failing, scheduled, deactivated and recovered are each reported once, whenever processes are killed', async () => {
  const operations = open.use(
    await startReceiver((response, { body }) => {
      const { eventId, event } = JSON.parse(body.toString()) as { eventId: string; event: string };
      told.set(eventId, event);
      response.writeHead(200).end();
    }),
  );
  const kind = 'operations';
  const body = { kind, url: operations.url, retrySchedule: ['1s', '1s', '2s', '5s', '5s', '10s'] };
  const registered = await client().call('POST', '/webhooks', { body });
  expect(registered.status).toBe(201);
  const { uid } = await registerWebhook(client(), { url: subject.url, retrySchedule: ['1s'] });

  await failUntil('webhook.failing');
  await failUntil('webhook.deactivation_scheduled');
  await failUntil('webhook.deactivated');
  isDown = false;
  const resumed = await client().call('PATCH', `/webhooks/${uid}`, { body: { active: true } });
  expect(resumed.status).toBe(200);
  await failUntil('webhook.recovered');

  const expected = operationsEventNames.filter((name) => name.startsWith('webhook.'));
  await waitFor(() => namesTold().length >= expected.length, {
    what: 'every notice',
    state: () => namesTold(),
  });
  // Nothing else is recorded, and nothing that was recorded is lost.
  const { events } = installation.store;
  const recorded = await events.find({ entity: 'webhook' }).sort({ _id: 1 }).toArray();
  const states = recorded.map(({ event }) => event).filter((name) => name !== 'delivery.exhausted');
  expect(states).toEqual(expected);
  await waitFor(() => recorded.every(({ _id }) => told.has(_id)), { what: 'the dead letters' });
  expect(namesTold().toSorted()).toEqual([...expected].toSorted());
});
