const dayMs = 24 * 60 * 60 * 1_000;
// Above this, the service does not add up the 25 hours that a day can span.
const byHourMax = 200;

/** Returns the range over which a list of that many webhooks shows their health. */
export function healthRange(webhookCount: number, now: Date) {
  if (webhookCount <= byHourMax)
    return { label: 'last 24 h', query: { interval: 'hour' } } as const;
  const since = new Date(now.getTime() - dayMs).toISOString();
  return { label: 'since yesterday', query: { interval: 'day', since } } as const;
}
