import type { Webhook } from '@agent-herald/client';

type Recipient = Pick<
  Webhook,
  'uid' | 'url' | 'active' | 'entities' | 'events' | 'externalTenantIds'
>;

/** Returns the uids of webhooks that share a URL and events with another one: those events arrive there twice. */
export function twinsOf(webhooks: readonly Recipient[]): ReadonlySet<string> {
  const active = webhooks.filter(({ active }) => active);
  const twins = active.filter((webhook) =>
    active.some((other) => other.uid !== webhook.uid && mayGetSame(webhook, other)),
  );
  return new Set(twins.map(({ uid }) => uid));
}

function mayGetSame(left: Recipient, right: Recipient): boolean {
  if (left.url !== right.url) return false;
  const [leftTenants, rightTenants] = [left.externalTenantIds, right.externalTenantIds];
  const shareTenant =
    leftTenants === null || (rightTenants?.some((tenant) => leftTenants.includes(tenant)) ?? true);
  return shareTenant && shareEvent(left, right);
}

function shareEvent(left: Recipient, right: Recipient): boolean {
  if (left.events !== null && right.events !== null) {
    const others: readonly string[] = right.events;
    return left.events.some((event) => others.includes(event));
  }
  // Webhooks of the kind `operations` have no entities.
  if (left.entities.length === 0) return right.entities.length === 0;
  const entitiesOf = ({ events, entities }: Recipient): readonly string[] =>
    events?.map((event) => event.split('.')[0] ?? '') ?? entities;
  const others = entitiesOf(right);
  return entitiesOf(left).some((entity) => others.includes(entity));
}
