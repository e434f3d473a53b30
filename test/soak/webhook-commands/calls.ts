// The calls of commands, each recorded in the model with its time and its response.
import { sendableReasons } from '../../../lib/model/delivery-state.ts';
import type { Answer, ApiClient } from '../../support/api-client.ts';
import {
  type Call,
  type Hook,
  isDone,
  type Model,
  type Ordering,
  type Replay,
  type Report,
  type Resource,
  type Setting,
} from './model.ts';

/** The real system of a sequence: its own application and its part of the receiver. */
export interface Real {
  client: ApiClient;
  /** Returns a new path of the receiver, as a URL and as the receiver reports it. */
  newEndpoint: () => { url: string; path: string };
  /** The receiver's later responses by a webhook's path or a resource's uid; 200 by default. */
  answers: Map<string, { status: number; afterMs: number }>;
}

/** Makes a call and records its start, its end and its status. */
async function timed(call: Call, answer: () => Promise<Answer>): Promise<Answer> {
  call.beganMs = Date.now();
  const given = await answer();
  call.endedMs = Date.now();
  call.status = given.status;
  return given;
}

function newCall(): Call {
  return { beganMs: Date.now(), endedMs: Infinity, status: 0 };
}

/** Reports a change of a resource. */
export async function report(model: Model, real: Real, resource: Resource): Promise<void> {
  const made: Report = { ...newCall(), resource, eventId: '' };
  const { event, uid, tenant } = resource;
  const data = { uid, externalTenantId: tenant, nth: model.reports.push(made) };
  const { body } = await timed(made, () =>
    real.client.call('POST', '/changes', { body: { event, data } }),
  );
  made.eventId = String(body['eventId']);
}

/** Registers a webhook in a slot. Until the response, the slot has the previous one. */
export async function register(
  model: Model,
  real: Real,
  { slot, ordering }: { slot: number; ordering: Ordering },
): Promise<void> {
  const registered = newCall();
  const { url, path } = real.newEndpoint();
  const entities = ['agent', 'context', 'contextfile'];
  const fields = { url, entities, ordering, retrySchedule: ['1s', '1s'] };
  const answer = await timed(registered, () =>
    real.client.call('POST', '/webhooks', { body: fields }),
  );
  if (!isDone(registered)) throw new Error(`no webhook: ${answer.text}`);
  const hook: Hook = {
    path,
    uid: String(answer.body['uid']),
    ordering,
    registered,
    deleted: null,
  };
  model.hooks.push(hook);
  model.slots[slot] = hook;
}

/** Deletes a webhook, unless another call does. */
export async function remove(real: Real, hook: Hook): Promise<void> {
  if (hook.deleted !== null) return;
  hook.deleted = newCall();
  await timed(hook.deleted, () => real.client.call('DELETE', `/webhooks/${hook.uid}`));
}

/** Pauses or resumes a webhook, or changes its ordering. */
export async function set(
  model: Model,
  real: Real,
  change: Pick<Setting, 'hook'> & Partial<Pick<Setting, 'active' | 'discards' | 'ordering'>>,
): Promise<void> {
  const { hook, active = null, discards = false, ordering = null } = change;
  const setting = { ...newCall(), hook, active, discards, ordering };
  model.settings.push(setting);
  const body = {
    ...(active === null ? {} : { active }),
    ...(discards ? { onResume: 'discard' } : {}),
    ...(ordering === null ? {} : { ordering }),
  };
  await timed(setting, () => real.client.call('PATCH', `/webhooks/${hook.uid}`, { body }));
}

/** Resends an event to webhooks. */
export async function resend(
  model: Model,
  real: Real,
  { report: which, hooks }: { report: Report; hooks: Hook[] },
): Promise<void> {
  const resent = { ...newCall(), report: which, hooks, pausedUids: [] as string[] };
  model.resends.push(resent);
  const body = { webhookUids: hooks.map(({ uid }) => uid) };
  const answer = await timed(resent, () =>
    real.client.call('POST', `/events/${which.eventId}/resend`, { body }),
  );
  if (isDone(resent)) resent.pausedUids = answer.body['pausedWebhookUids'] as unknown as string[];
}

/** Replays the events recorded from `sinceMs` until now to a webhook. */
export async function replay(
  model: Model,
  real: Real,
  asked: Pick<Replay, 'hook' | 'sinceMs' | 'states'> & { perSecond: number },
): Promise<Replay> {
  const { hook, sinceMs, states, perSecond } = asked;
  const made: Replay = { ...newCall(), hook, uid: '', sinceMs, states, doneMs: Infinity };
  model.replays.push(made);
  const since = new Date(sinceMs).toISOString();
  const body = { since, states, cancelReasons: sendableReasons, perSecond };
  const answer = await timed(made, () =>
    real.client.call('POST', `/webhooks/${hook.uid}/replays`, { body }),
  );
  if (isDone(made)) made.uid = String(answer.body['uid']);
  return made;
}

/** Cancels a replay. */
export async function cancel(model: Model, real: Real, which: Replay): Promise<void> {
  const cancelled = { ...newCall(), replay: which };
  model.cancels.push(cancelled);
  const path = `/webhooks/${which.hook.uid}/replays/${which.uid}/cancel`;
  await timed(cancelled, () => real.client.call('POST', path));
}

/** Erases the payloads of a tenant. */
export async function erase(model: Model, real: Real, tenant: string): Promise<void> {
  const erasure = { ...newCall(), tenant };
  model.erasures.push(erasure);
  const body = { externalTenantId: tenant };
  await timed(erasure, () => real.client.call('POST', '/erasures', { body }));
}
