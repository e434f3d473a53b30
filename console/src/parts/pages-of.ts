/** Returns the link to a resource of an application, by its kind. */
export function pagesOf(appUid: string, uid: string) {
  return {
    event: { to: '/apps/$appUid/events/$eventId', params: { appUid, eventId: uid } },
    webhook: { to: '/apps/$appUid/webhooks/$webhookUid', params: { appUid, webhookUid: uid } },
    user: { to: '/apps/$appUid/users/$userUid', params: { appUid, userUid: uid } },
    account: { to: '/apps/$appUid/accounts/$accountUid', params: { appUid, accountUid: uid } },
    replay: { to: '/apps/$appUid/replays/$replayUid', params: { appUid, replayUid: uid } },
  } as const;
}
