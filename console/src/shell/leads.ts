// Where the palette leads with an id.
import { pagesOf } from '../parts/pages-of.ts';

type Kind = 'event' | 'webhook' | 'user' | 'account' | 'job' | 'resource' | 'actor' | 'other';

export type Named =
  { kind: Kind; uid: string } | { kind: 'delivery'; eventId: string; webhookUid: string };

const uids = /\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g;

// The first of these that a text has is what it names.
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

/** Returns what a text names by its ids: of an event and a webhook together, their delivery. */
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

/** Returns the pages that tell of what is named, the likeliest first. */
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
    // Most are replays; an erasure has no page, but a row.
    job: [{ label: 'Open this replay', ...pages.replay }, done],
    // The audit log has no rows of resources.
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
