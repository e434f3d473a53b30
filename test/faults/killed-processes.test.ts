// Killed at any moment and restarted, the service still delivers every committed change.
import { createHmac } from 'node:crypto';
import { createSecretBox } from '../../lib/platform/secret-box.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { secretLocation } from '../../lib/webhooks/secrets.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { createApiClient } from '../support/api-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { soakShare } from '../support/soak-share.ts';
import { waitFor } from '../support/wait-for.ts';

const rounds = soakShare(20);

let installation: Installation;
let receiver: Receiver;
let webhook: WebhookDocument;
let api: RoleProcess;
let worker: RoleProcess;

beforeAll(async () => {
  installation = await createInstallation();
  receiver = await startReceiver((response) => response.writeHead(200).end());
  webhook = await insertWebhook(installation, { url: receiver.url });
  [api, worker] = await Promise.all([
    startRole('api', installation.env),
    startRole('worker', installation.env),
  ]);
});

afterAll(async () => {
  await Promise.all([api?.[Symbol.asyncDispose](), worker?.[Symbol.asyncDispose]()]);
  await receiver?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

/** Reports changes without a pause until it is stopped. Returns the IDs of the acknowledged events. */
async function reportChanges(stop: { requested: boolean }): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let n = 0; !stop.requested; n += 1) {
    const client = createApiClient(`http://127.0.0.1:${api.port}`, installation.app);
    const data = { uid: `agt_${n}`, externalTenantId: 'tenant-1', n };
    try {
      const answer = await client.call('POST', '/changes', {
        body: { event: 'agent.updated', data },
      });
      if (answer.status === 202) acknowledged.push(String(answer.body['eventId']));
    } catch {
      // The api was killed during this request, so its outcome is unknown. The caller reports another change.
      await waitFor(
        async () =>
          fetch(`http://127.0.0.1:${api.port}/healthz`).then(
            () => true,
            () => false,
          ),
        {
          what: 'the api after its restart',
        },
      );
    }
  }
  return acknowledged;
}

/** Waits until the service has recorded `count` more changes, so that each kill happens under load. */
async function progress(count: number): Promise<void> {
  const before = await installation.store.events.countDocuments();
  await waitFor(async () => (await installation.store.events.countDocuments()) >= before + count, {
    what: 'more changes',
  });
}

/** The committed events that the receiver has not seen. */
function missingFrom(committed: readonly EventDocument[]): EventDocument[] {
  const arrived = new Set(
    receiver.requests.map((request) => String(request.headers['x-webhook-event-id'])),
  );
  return committed.filter((event) => !arrived.has(event._id));
}

async function describeMissing(committed: readonly EventDocument[]): Promise<unknown> {
  const eventIds = missingFrom(committed).map((event) => event._id);
  const { events, deliveries } = installation.store;
  return {
    count: eventIds.length,
    events: await events
      .find({ _id: { $in: eventIds } }, { projection: { body: 0 } })
      .limit(3)
      .toArray(),
    deliveries: await deliveries
      .find({ eventId: { $in: eventIds } })
      .limit(3)
      .toArray(),
    warnings: worker.lines.filter((line) => line['level'] === 'warn').slice(-5),
  };
}

async function killInTurn(): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const changes = 5 + ((7 * round) % 28);
    await progress(changes);
    await api.end('SIGKILL');
    api = await startRole('api', installation.env);
    await progress(changes);
    await worker.end('SIGKILL');
    worker = await startRole('worker', installation.env);
  }
}

test('no committed change is lost when api and worker are killed in turn under load', async () => {
  const stop = { requested: false };
  const reporting = reportChanges(stop);
  await killInTurn().finally(() => (stop.requested = true));
  const acknowledged = await reporting;
  const committed = await installation.store.events.find().toArray();
  const committedIds = new Set(committed.map((event) => event._id));
  expect(acknowledged.filter((id) => !committedIds.has(id))).toEqual([]);
  expect(committed.length).toBeGreaterThan(10 * rounds);

  await waitFor(() => missingFrom(committed).length === 0, {
    timeoutMs: 90_000,
    what: 'every committed event at the receiver',
    state: () => describeMissing(committed),
  });
  const bodies = new Map(committed.map((event) => [event._id, event.body]));
  const secret = createSecretBox(installation.config.sealingKeys).open(
    webhook.secret,
    secretLocation(webhook),
  );
  for (const request of receiver.requests) {
    const body = request.body.toString('utf8');
    expect(body).toBe(bodies.get(String(request.headers['x-webhook-event-id'])));
    const expected = createHmac('sha256', secret).update(body).digest('hex');
    expect(request.headers['x-webhook-signature']).toBe(`sha256=${expected}`);
  }
  await waitFor(
    async () =>
      (await installation.store.deliveries.countDocuments({ state: { $ne: 'delivered' } })) === 0,
    { what: 'every delivery recorded as delivered' },
  );
}, 900_000);
