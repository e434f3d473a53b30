const dayMs = 24 * 60 * 60 * 1_000;
// For more of them the service does not add up the 25 hours that a day may be in.
const byHourMax = 200;

/** Returns what the list of so many webhooks shows their health of. */
export function healthRange(webhookCount: number, now: Date) {
  if (webhookCount <= byHourMax)
    return { label: 'last 24 h', asked: { interval: 'hour' } } as const;
  const since = new Date(now.getTime() - dayMs).toISOString();
  return { label: 'since yesterday', asked: { interval: 'day', since } } as const;
}
