// Nothing of an application is seen by another.
import type { Facts, Finding } from './facts.ts';
import type { StoredDelivery } from './stored.ts';

export function isolation({ history, events, bodies, webhooks, webhookAt }: Facts): Finding[] {
  const rows = history.reads
    .filter(({ foreign }) => foreign.length > 0)
    .map(({ path, appUid, foreign }) => ({ what: `${appUid} read ${foreign.join()} at ${path}` }));
  const appOfBody = new Map(
    [...bodies].map(([eventId, body]) => [
      eventId,
      (JSON.parse(body) as { appUid: string }).appUid,
    ]),
  );
  const sent = history.requests.flatMap(({ eventId, path }) => {
    const webhook = webhookAt.get(path);
    const appUid = appOfBody.get(eventId);
    if (webhook === undefined || appUid === undefined || appUid === webhook.appUid) return [];
    const what = `${webhook.uid} of ${webhook.appUid} got ${eventId} of ${appUid}`;
    return [{ what, eventId, webhookUid: webhook.uid }];
  });
  const isForeign = (appUid: string, eventId: string, webhookUid: string): boolean =>
    [events.get(eventId), webhooks.get(webhookUid)].some(
      (each) => each !== undefined && each.appUid !== appUid,
    );
  const deliveries = (history.documents.deliveries as StoredDelivery[]).filter((each) =>
    isForeign(each.appUid, each.eventId, each.webhookUid),
  );
  const recipients = [...events.values()].flatMap(({ _id: eventId, appUid, webhookUids }) =>
    webhookUids
      .filter((webhookUid) => isForeign(appUid, eventId, webhookUid))
      .map((webhookUid) => ({ eventId, webhookUid })),
  );
  const documents = [...deliveries, ...recipients].map(({ eventId, webhookUid }): Finding => {
    const what = `the documents give ${eventId} to ${webhookUid}, of another application`;
    return { what, eventId, webhookUid };
  });
  return [...rows, ...sent, ...documents];
}
