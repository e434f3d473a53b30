// Groups failing webhooks by what goes wrong.
import type { Webhook, WebhookFailure } from '@agent-herald/client';
import { type WhatFailed, whatFailed } from '../webhooks/what-failed.ts';

type What = NonNullable<WebhookFailure['change']>['what'];

/** What goes wrong at some webhooks, with its likely reason. */
export interface Cause extends WhatFailed {
  /** The latest failed delivery of the first webhook. */
  failed: { eventId: string; webhookUid: string } | null;
  /** When the first of the webhooks began to fail. */
  since: string | null;
  /** The latest change of one of them shortly before it began to fail. */
  change: { text: string; at: string } | null;
  webhooks: Webhook[];
}

const changeTexts: Readonly<Record<What, string>> = {
  url: 'the URL was changed',
  headers: 'the headers were changed',
  auth: 'the credentials were changed',
  tls: 'the client certificate was changed',
  secret: 'the secret was rotated',
  secret_promoted: 'the new secret was promoted',
  previous_secret_ended: 'the old secret ended after a rotation',
};

/** Returns the causes, that of the most webhooks first, then the oldest. */
export function causesOf(
  failures: readonly WebhookFailure[],
  webhooks: readonly Webhook[],
): Cause[] {
  const causes = new Map<string, Cause>();
  const oldestFirst = failures.toSorted((a, b) => timeOf(a.failingSince) - timeOf(b.failingSince));
  for (const failure of oldestFirst) {
    const webhook = webhooks.find(({ uid }) => uid === failure.webhookUid);
    if (webhook === undefined) continue;
    const { latest, webhookUid } = failure;
    const what = whatFailed(latest, webhook);
    const cause = causes.get(what.key) ?? {
      ...what,
      failed: latest && { eventId: latest.eventId, webhookUid },
      since: failure.failingSince,
      change: null,
      webhooks: [],
    };
    causes.set(cause.key, {
      ...cause,
      change: laterOf(cause.change, failure.change),
      webhooks: [...cause.webhooks, webhook],
    });
  }
  return [...causes.values()].toSorted((a, b) => b.webhooks.length - a.webhooks.length);
}

function timeOf(at: string | null): number {
  return at === null ? 0 : Date.parse(at);
}

function laterOf(known: Cause['change'], next: WebhookFailure['change']): Cause['change'] {
  if (next === null || (known !== null && known.at >= next.at)) return known;
  return { text: changeTexts[next.what], at: next.at };
}
