import type { Webhook } from '@agent-herald/client';

/** Returns the webhooks with a text in their name or URL, then those at the host of a URL. */
export function matchingWebhooks(webhooks: readonly Webhook[], text: string): Webhook[] {
  const wanted = text.toLowerCase();
  const host = hostOf(text);
  const rank = ({ name, description, url }: Webhook): number => {
    if (url === text || name?.toLowerCase() === wanted) return 0;
    if (`${name ?? ''}\n${description ?? ''}\n${url}`.toLowerCase().includes(wanted)) return 1;
    return host !== null && hostOf(url) === host ? 2 : 3;
  };
  const ranked = webhooks.map((webhook) => ({ webhook, rank: rank(webhook) }));
  const found = ranked.filter((each) => each.rank < 3).toSorted((a, b) => a.rank - b.rank);
  return found.map(({ webhook }) => webhook);
}

function hostOf(text: string): string | null {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).host : null;
}
