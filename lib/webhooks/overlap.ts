import type { ClientSession } from 'mongodb';
import { eventNames, operationsEventNames } from '../model/event-name.ts';
import {
  type FilteredSubscription,
  subscriptionFields,
  type WebhookDocument,
} from '../model/webhook.ts';
import { type Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';
import { canMatchBoth, isSubscribed } from './subscriptions.ts';

type Recipient = FilteredSubscription & Pick<WebhookDocument, 'appUid' | 'url'>;

/** Returns an active webhook whose URL may get the same events as that of `webhook`; null where there is none. */
export async function findTwin(
  store: Store,
  webhook: Recipient,
  session?: ClientSession,
): Promise<string | null> {
  const { _id, appUid, url } = webhook;
  const others = store.webhooks
    .find({ appUid, url, active: true, _id: { $ne: _id } }, within(session))
    .project<Recipient>({ ...subscriptionFields, appUid: 1, url: 1 })
    .sort({ _id: 1 });
  for await (const other of others) {
    if (mayGetSame(webhook, other)) return other._id;
  }
  return null;
}

/** Reports whether an event may go to both webhooks. */
export function mayGetSame(left: Recipient, right: Recipient): boolean {
  if (!canMatchBoth(left.filter, right.filter)) return false;
  const tenants = left.externalTenantIds ?? right.externalTenantIds ?? ['any'];
  return [...eventNames, ...operationsEventNames].some((event) =>
    tenants.some((externalTenantId) => {
      const facts = { event, resourceUid: '', externalTenantId };
      return isSubscribed(left, facts) && isSubscribed(right, facts);
    }),
  );
}
