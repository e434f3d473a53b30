// An event goes to the webhooks whose settings selected it during the whole call, and to none that did not at all.
import type { ChangeCall, WebhookSettings } from '../history.ts';
import { effectEndMs, isThere, possibleSettings } from './calls.ts';
import type { Facts, Finding } from './facts.ts';

export function recipients({ events, changeOf, webhooks, webhooksOfApps }: Facts): Finding[] {
  const found: Finding[] = [];
  for (const [eventId, change] of changeOf) {
    const uids = new Set(events.get(eventId)?.webhookUids);
    const span = { startMs: change.startMs, endMs: effectEndMs(change) };
    for (const webhook of webhooksOfApps.get(change.appUid) ?? []) {
      const settings = possibleSettings(webhook, span);
      const isSelected = settings.map((each) => selects(each, change));
      const must = isThere(webhook, span) && isSelected.every(Boolean);
      const isRecipient = uids.delete(webhook.uid);
      const what = must && !isRecipient ? 'did not get' : 'got';
      if (isRecipient ? isSelected.includes(true) : !must) continue;
      const subject = { eventId, webhookUid: webhook.uid };
      found.push({ what: `${webhook.uid} ${what} ${eventId} against its settings`, ...subject });
    }
    for (const uid of uids) {
      if (webhooks.has(uid)) continue;
      found.push({ what: `${eventId} is for ${uid}, which nobody created`, eventId });
    }
  }
  return found;
}

function selects({ entities, group }: WebhookSettings, change: ChangeCall): boolean {
  const entity = change.event.slice(0, change.event.indexOf('.'));
  return entities.includes(entity) && (group === null || group === change.group);
}
