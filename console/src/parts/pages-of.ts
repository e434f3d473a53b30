/** Returns the link to a resource of an application, by its kind. */
export function pagesOf(appUid: string, uid: string) {
  return {
    event: { to: '/apps/$appUid/events/$eventId', params: { appUid, eventId: uid } },
    webhook: { to: '/apps/$appUid/webhooks/$webhookUid', params: { appUid, webhookUid: uid } },
    user: { to: '/apps/$appUid/users/$userUid', params: { appUid, userUid: uid } },
    account: { to: '/apps/$appUid/accounts/$accountUid', params: { appUid, accountUid: uid } },
    sync: { to: '/apps/$appUid/syncs/$syncUid', params: { appUid, syncUid: uid } },
    replay: { to: '/apps/$appUid/replays/$replayUid', params: { appUid, replayUid: uid } },
  } as const;
}

/** The lists of resources that have pages of their own, by their noun in the address. */
export const lists = {
  deliveries: '/apps/$appUid/deliveries',
  events: '/apps/$appUid/events',
  webhooks: '/apps/$appUid/webhooks',
  users: '/apps/$appUid/users',
  accounts: '/apps/$appUid/accounts',
  replays: '/apps/$appUid/replays',
} as const;

export function isListed(noun: string): noun is keyof typeof lists {
  return Object.hasOwn(lists, noun);
}
