// The pages that the palette offers for an ID.
import { pagesOf } from '../parts/pages-of.ts';

type Kind = 'event' | 'webhook' | 'user' | 'account' | 'job' | 'resource' | 'actor' | 'other';

export type Named =
  { kind: Kind; uid: string } | { kind: 'delivery'; eventId: string; webhookUid: string };

const uids = /\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g;

// The first prefix that a text contains determines its kind.
const kinds: readonly (readonly [prefix: string, kind: Kind])[] = [
  ['evt', 'event'],
  ['whk', 'webhook'],
  ['usr', 'user'],
  ['acc', 'account'],
  ['job', 'job'],
  ['agt', 'resource'],
  ['ctx', 'resource'],
  ['cfl', 'resource'],
  ['key', 'actor'],
  ['adm', 'actor'],
];

/** Returns what the IDs in a text refer to. An event and a webhook together refer to their delivery. */
export function namedBy(text: string): Named | null {
  const found = new Map(
    [...text.toLowerCase().matchAll(uids)].map(([uid, prefix]) => [prefix, uid]),
  );
  const [eventId, webhookUid] = [found.get('evt'), found.get('whk')];
  if (eventId !== undefined && webhookUid !== undefined)
    return { kind: 'delivery', eventId, webhookUid };
  for (const [prefix, kind] of kinds) {
    const uid = found.get(prefix);
    if (uid !== undefined) return { kind, uid };
  }
  const [other] = found.values();
  return other === undefined ? null : { kind: 'other', uid: other };
}

/** Returns the pages about it, the likeliest first. */
export function leadsOf(named: Named, appUid: string) {
  const params = { appUid };
  if (named.kind === 'delivery') {
    const { eventId, webhookUid } = named;
    const to = '/apps/$appUid/deliveries/$eventId/$webhookUid';
    return [{ label: 'Open this delivery', to, params: { appUid, eventId, webhookUid } }] as const;
  }
  const { kind, uid } = named;
  const log = { to: '/apps/$appUid/audit-log', params } as const;
  const done = { label: 'History of this ID', ...log, search: { targetUid: uid } } as const;
  const pages = pagesOf(appUid, uid);
  const leads = {
    event: [{ label: 'Open this event', ...pages.event }],
    webhook: [{ label: 'Open this webhook', ...pages.webhook }],
    user: [{ label: 'Open this user', ...pages.user }],
    account: [{ label: 'Open this account', ...pages.account }],
    // The search looks up whether it is a replay, a sync or an erasure.
    job: [done],
    // The audit log has no rows about resources.
    resource: [
      {
        label: 'Events of this resource',
        to: '/apps/$appUid/events',
        params,
        search: { resourceUid: uid },
      },
    ],
    actor: [done, { label: 'Activity of this ID', ...log, search: { actorUid: uid } }],
    other: [done],
  } as const;
  return leads[kind];
}
