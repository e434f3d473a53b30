// What the applications do with their webhooks. Operations on one webhook follow each other.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Application,
  callOf,
  pick,
  pickWeighted,
  type Scene,
  type Webhook,
} from './application.ts';
import { groups } from './changes.ts';
import type { Caller } from './caller.ts';
import type { WebhookHistory, WebhookSettings } from './history.ts';
import { type ScriptName, scripts } from './receivers.ts';

// Long enough for every fault, and quick enough for a run to end.
const patientSchedule = ['1s', '1s', '2s', '2s', '3s', '3s', '5s', '5s', '5s', '5s', '5s', '5s'];
const impatientSchedule = ['1s', '1s'];
const msOf = (schedule: readonly string[]): number[] =>
  schedule.map((wait) => 1_000 * Number.parseInt(wait, 10));

/** So low that replays exceed it. */
const rate = 5;
const all = ['agent', 'context', 'contextfile'];

/** The first webhooks of an application; later ones are like one of these. */
const kinds: readonly Partial<WebhookSettings>[] = [
  {},
  { ordering: 'resource' },
  { ratePerSecond: rate },
  { group: 1, entities: ['agent'] },
  { signatures: ['v1', 'v1a'], retryScheduleMs: msOf(impatientSchedule) },
  { ordering: 'resource', entities: ['agent'] },
];
export const firstWebhooks = kinds.length;
const webhooksMax = 8;

function settingsOf(kind: Partial<WebhookSettings>): WebhookSettings {
  return {
    active: true,
    entities: all,
    group: null,
    ordering: 'parallel',
    retryScheduleMs: msOf(patientSchedule),
    ratePerSecond: null,
    signatures: ['v1'],
    ...kind,
  };
}

function fieldsOf({ group, retryScheduleMs, ...settings }: WebhookSettings): object {
  return {
    ...settings,
    filter: group === null ? null : { group },
    retrySchedule: retryScheduleMs.map((ms) => `${ms / 1_000}s`),
  };
}

/** Registers a webhook of a kind (by its number), at a path of its own. */
export async function createWebhook(
  scene: Scene,
  application: Application,
  kind: number,
): Promise<void> {
  const { caller, observed, receiversUrl } = scene;
  const path = `/${application.number}-${(application.paths += 1)}`;
  const settings = settingsOf(kinds[kind % kinds.length] ?? {});
  const { appUid } = application.app;
  const body = { url: receiversUrl + path, ...fieldsOf(settings) };
  const reply = await caller.call(application.app, 'POST /webhooks', { body });
  if (reply.outcome !== 'accepted') return;
  const call = callOf(application, reply);
  const history: WebhookHistory = {
    uid: String(reply.body['uid']),
    appUid,
    path,
    settings: [{ ...call, settings, discards: false }],
    secrets: [{ ...call, kind: 'created', secret: String(reply.body['secret']) }],
    deletions: [],
  };
  observed.webhooks.push(history);
  application.webhooks.push({
    uid: history.uid,
    history,
    settings,
    isDeleted: false,
    isBusy: false,
  });
}

/** Changes settings of a webhook. */
async function set(
  { caller }: Scene,
  application: Application,
  { webhook, changed, discards = false }: Change,
): Promise<void> {
  const settings = { ...webhook.settings, ...changed };
  const fields = fieldsOf(settings) as Record<string, unknown>;
  const names = Object.keys(changed).map((name) => apiNames[name] ?? name);
  const wanted = Object.fromEntries(names.map((name) => [name, fields[name]]));
  const body = discards ? { ...wanted, onResume: 'discard' } : wanted;
  const path = `/webhooks/${webhook.uid}`;
  const reply = await caller.call(application.app, `PATCH ${path}`, { body });
  webhook.history.settings.push({ ...callOf(application, reply), settings, discards });
  if (reply.outcome === 'accepted') webhook.settings = settings;
  if (reply.outcome === 'unknown') await learn(caller, application, webhook);
}

interface Presented extends Omit<WebhookSettings, 'group' | 'retryScheduleMs'> {
  filter: { group: number } | null;
  retrySchedule: string[];
}

function settingsIn({ filter, retrySchedule, ...body }: Presented): WebhookSettings {
  const { active, entities, ordering, ratePerSecond, signatures } = body;
  const same = { active, entities, ordering, ratePerSecond, signatures };
  return { ...same, group: filter?.group ?? null, retryScheduleMs: msOf(retrySchedule) };
}

/** Reads what a call without a decisive response has done. */
async function learn(caller: Caller, application: Application, webhook: Webhook): Promise<void> {
  const reply = await caller.call(application.app, `GET /webhooks/${webhook.uid}`);
  if (reply.outcome !== 'accepted') return;
  const settings = settingsIn(reply.body as unknown as Presented);
  webhook.settings = settings;
  webhook.history.settings.push({ ...callOf(application, reply), settings, discards: false });
}

interface Change {
  webhook: Webhook;
  changed: Partial<WebhookSettings>;
  discards?: boolean;
}

const apiNames: Record<string, string> = { group: 'filter', retryScheduleMs: 'retrySchedule' };

type Operation = (scene: Scene, application: Application, webhook: Webhook) => Promise<void>;

const operations = {
  async pause(scene, application, webhook) {
    await set(scene, application, { webhook, changed: { active: false } });
    await sleep(500 + 6_000 * scene.random());
    const discards = scene.random() < 0.3;
    await set(scene, application, { webhook, changed: { active: true }, discards });
  },
  async filter(scene, application, webhook) {
    const group = scene.random() < 0.5 ? null : Math.floor(scene.random() * groups);
    await set(scene, application, { webhook, changed: { group } });
  },
  async order(scene, application, webhook) {
    const ordering = webhook.settings.ordering === 'resource' ? 'parallel' : 'resource';
    await set(scene, application, { webhook, changed: { ordering } });
  },
  async rate(scene, application, webhook) {
    const ratePerSecond = webhook.settings.ratePerSecond === null ? rate : null;
    await set(scene, application, { webhook, changed: { ratePerSecond } });
  },
  async signatures(scene, application, webhook) {
    const signatures = pick(scene.random, [['v1'], ['v1a'], ['v1', 'v1a']] as const) ?? ['v1'];
    await set(scene, application, { webhook, changed: { signatures: [...signatures] } });
  },
  async rotate({ caller, random }, application, webhook) {
    const path = `/webhooks/${webhook.uid}/secret`;
    const rotated = await caller.call(application.app, `POST ${path}/rotate`, { body: {} });
    const secret = rotated.outcome === 'accepted' ? String(rotated.body['secret']) : null;
    const { secrets } = webhook.history;
    secrets.push({ ...callOf(application, rotated), kind: 'rotated', secret });
    await sleep(1_000 + 5_000 * random());
    const promoted = await caller.call(application.app, `POST ${path}/promote`);
    secrets.push({ ...callOf(application, promoted), kind: 'promoted', secret: null });
  },
  async remove({ caller }, application, webhook) {
    const left = application.webhooks.filter(({ isDeleted }) => !isDeleted);
    if (left.length < firstWebhooks) return;
    webhook.isDeleted = true;
    const reply = await caller.call(application.app, `DELETE /webhooks/${webhook.uid}`);
    webhook.history.deletions.push(callOf(application, reply));
  },
  async follow({ follow, random }, _application, { history }) {
    const names = Object.keys(scripts) as ScriptName[];
    const script = pick(random, names) ?? 'fast';
    follow(history.path, script);
    // A pause in which the service deactivates it.
    await sleep(script === 'gone' ? 1_500 : 2_000 + 10_000 * random());
    follow(history.path, 'fast');
  },
} satisfies Record<string, Operation>;

const weights = {
  follow: 10,
  pause: 3,
  filter: 2,
  order: 1,
  rate: 1,
  signatures: 2,
  rotate: 2,
  remove: 1,
};

/** Does one operation at random with a webhook at rest, or registers one. */
export async function operateWebhook(scene: Scene, application: Application): Promise<void> {
  const present = application.webhooks.filter(({ isDeleted }) => !isDeleted);
  if (present.length < webhooksMax && scene.random() < 0.05)
    return createWebhook(scene, application, Math.floor(scene.random() * kinds.length));
  const webhook = pick(
    scene.random,
    present.filter(({ isBusy }) => !isBusy),
  );
  if (webhook === undefined) return;
  webhook.isBusy = true;
  try {
    await operations[pickWeighted(scene.random, weights)](scene, application, webhook);
    // A receiver that is gone has deactivated it.
    await resumeInactive(scene, application, webhook);
  } finally {
    webhook.isBusy = false;
  }
}

async function resumeInactive(
  scene: Scene,
  application: Application,
  webhook: Webhook,
): Promise<void> {
  const { caller } = scene;
  if (webhook.isDeleted) return;
  const { body } = await caller.call(application.app, `GET /webhooks/${webhook.uid}`);
  if (body['active'] === (false as never))
    await set(scene, application, { webhook, changed: { active: true } });
}

/** Resumes whatever is inactive, after the last operation. */
export async function resumeAll(scene: Scene, application: Application): Promise<void> {
  for (const webhook of application.webhooks) await resumeInactive(scene, application, webhook);
}
