import type { DeliveryKey } from '../model/delivery.ts';
import type { DeliverEventsInput } from './messages.ts';

/** Groups the deliveries of events by webhook; webhooks share groups if there would be more than `groupsMax`. */
export function groupDeliveries(
  events: DeliverEventsInput['events'],
  groupsMax: number,
): DeliveryKey[][] {
  const byWebhook = new Map<string, DeliveryKey[]>();
  for (const { appUid, eventId, webhookUids } of events) {
    for (const webhookUid of webhookUids) {
      const group = byWebhook.get(webhookUid) ?? [];
      group.push({ appUid, eventId, webhookUid });
      byWebhook.set(webhookUid, group);
    }
  }
  const webhooksEach = Math.ceil(byWebhook.size / groupsMax);
  const groups: DeliveryKey[][] = [];
  [...byWebhook.values()].forEach((deliveries, index) => {
    if (index % webhooksEach === 0) groups.push(deliveries);
    else groups.at(-1)?.push(...deliveries);
  });
  return groups;
}
