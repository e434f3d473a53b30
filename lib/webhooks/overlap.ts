import type { ClientSession } from 'mongodb';
import { inSlices } from '../concurrency/in-slices.ts';
import { subscribedEventNames } from '../model/event-name.ts';
import {
  type FilteredSubscription,
  subscriptionFields,
  type WebhookDocument,
} from '../model/webhook.ts';
import { type Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';
import { canMatchBoth, isSubscribed } from './subscriptions.ts';

/** Returns the uid of another active webhook with the same URL that may get the same events; null if there is none. */
export async function findOverlapping(
  store: Store,
  webhook: FilteredSubscription & Pick<WebhookDocument, 'appUid' | 'url'>,
  session?: ClientSession,
): Promise<string | null> {
  const { _id, appUid, url } = webhook;
  const others = store.webhooks
    .find({ appUid, url, active: true, _id: { $ne: _id } }, within(session))
    .project<FilteredSubscription>(subscriptionFields)
    .sort({ _id: 1 });
  for await (const other of inSlices(others)) if (mayOverlap(webhook, other)) return other._id;
  return null;
}

/** Checks whether an event may go to both webhooks. */
export function mayOverlap(left: FilteredSubscription, right: FilteredSubscription): boolean {
  const externalTenantId = commonTenant(left, right);
  if (externalTenantId === undefined || !canMatchBoth(left.filter, right.filter)) return false;
  return subscribedEventNames.some((event) => {
    const facts = { event, resourceUid: '', externalTenantId };
    return isSubscribed(left, facts) && isSubscribed(right, facts);
  });
}

function commonTenant(left: FilteredSubscription, right: FilteredSubscription): string | undefined {
  const tenants = left.externalTenantIds ?? right.externalTenantIds ?? ['any'];
  const others = new Set(right.externalTenantIds ?? tenants);
  return tenants.find((tenant) => others.has(tenant));
}
