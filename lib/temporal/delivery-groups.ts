import type { DeliverEventsInput, DeliveryPair } from './messages.ts';

/** Groups the deliveries of events by webhook; webhooks share groups if there would be more than `groupsMax`. */
export function groupDeliveries(
  events: DeliverEventsInput['events'],
  groupsMax: number,
): DeliveryPair[][] {
  const byWebhook = new Map<string, DeliveryPair[]>();
  for (const { eventId, webhookUids } of events) {
    for (const webhookUid of webhookUids) {
      const group = byWebhook.get(webhookUid) ?? [];
      group.push({ eventId, webhookUid });
      byWebhook.set(webhookUid, group);
    }
  }
  const webhooksEach = Math.ceil(byWebhook.size / groupsMax);
  const groups: DeliveryPair[][] = [];
  [...byWebhook.values()].forEach((deliveries, index) => {
    if (index % webhooksEach === 0) groups.push(deliveries);
    else groups.at(-1)?.push(...deliveries);
  });
  return groups;
}
