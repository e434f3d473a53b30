// Requests to send again, to skip and to erase.
import { type Application, pick, pickWeighted, type Scene, type Webhook } from './application.ts';
import type { JobCall } from './history.ts';

type Wanted = Pick<JobCall, 'kind'> &
  Partial<JobCall> & { path: string; body?: Record<string, unknown> };

/** Calls for one job, and keeps what the caller was told. */
async function request(
  { caller, observed }: Scene,
  { app }: Application,
  { path, body, ...facts }: Wanted,
): Promise<void> {
  const reply = await caller.call(app, `POST ${path}`, body === undefined ? {} : { body });
  const { startMs, endMs, outcome } = reply;
  const none = { webhookUids: [], eventId: null, externalTenantId: null };
  observed.jobs.push({ appUid: app.appUid, startMs, endMs, outcome, ...none, ...facts });
}

type Operation = (scene: Scene, application: Application, webhook: Webhook) => Promise<void>;

const sinceMs = 10_000;
const since = (): string => new Date(Date.now() - sinceMs).toISOString();

const operations = {
  async resend(scene, application, { uid }) {
    const eventId = pick(scene.random, application.eventIds);
    if (eventId === undefined) return;
    const webhookUids = [uid];
    const path = `/events/${eventId}/resend`;
    await request(scene, application, {
      kind: 'resend',
      eventId,
      webhookUids,
      path,
      body: { webhookUids },
    });
  },
  async replay(scene, application, { uid }) {
    const states = ['delivered', 'exhausted', 'retrying'];
    const body = { since: since(), states, perSecond: 50 };
    const path = `/webhooks/${uid}/replays`;
    await request(scene, application, { kind: 'replay', webhookUids: [uid], path, body });
  },
  async replayToAll(scene, application) {
    const body = { since: since(), states: ['retrying', 'exhausted'], perSecond: 50 };
    await request(scene, application, { kind: 'replay', path: '/replays', body });
  },
  async recover(scene, application, { uid }) {
    const path = `/webhooks/${uid}/recover`;
    const body = { since: since(), perSecond: 50 };
    await request(scene, application, { kind: 'recover', webhookUids: [uid], path, body });
  },
  async sync(scene, application, { uid }) {
    const path = `/webhooks/${uid}/sync`;
    const body = { perSecond: 50 };
    await request(scene, application, { kind: 'sync', webhookUids: [uid], path, body });
  },
  async skip(scene, application, { uid }) {
    const list = `/webhooks/${uid}/deliveries?state=retrying&limit=10`;
    const { body, outcome } = await scene.caller.call(application.app, `GET ${list}`);
    if (outcome !== 'accepted') return;
    const found = body['data'] as unknown as { eventId: string }[];
    const eventId = pick(scene.random, found)?.eventId;
    if (eventId === undefined) return;
    const path = `/events/${eventId}/deliveries/${uid}/cancel`;
    await request(scene, application, { kind: 'skip', eventId, webhookUids: [uid], path });
  },
  async erase(scene, application) {
    const externalTenantId = `tenant-erased-${application.erasures}`;
    application.erasures += 1;
    const body = { externalTenantId };
    await request(scene, application, {
      kind: 'erasure',
      externalTenantId,
      path: '/erasures',
      body,
    });
  },
} satisfies Record<string, Operation>;

const weights = {
  resend: 10,
  replay: 2,
  replayToAll: 2,
  recover: 2,
  sync: 1,
  skip: 6,
  erase: 1,
};

/** Requests one job at random. */
export async function requestJob(scene: Scene, application: Application): Promise<void> {
  const present = application.webhooks.filter(({ isDeleted }) => !isDeleted);
  const webhook = pick(scene.random, present);
  if (webhook === undefined) return;
  await operations[pickWeighted(scene.random, weights)](scene, application, webhook);
}
