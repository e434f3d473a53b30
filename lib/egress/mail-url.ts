// `mailto:` with one address, as the URL of an operations webhook (RFC 6068, without parameters).
import { limits } from '../limits.ts';
import { isHostName } from './host-name.ts';
import type { WebhookUrlCheck } from './webhook-url.ts';

// Excludes `%`, `?`, `#`, `&` and quoted names, so that nothing needs decoding.
const mailUrl = /^mailto:([a-z0-9!$'*+/=^_`{|}~.-]{1,64})@([a-z0-9.-]{1,253})$/i;

/** Returns the canonical form, with a lower-case domain. `mail` is null if no mail server is set. */
export function checkMailUrl(text: string, { mail }: { mail: object | null }): WebhookUrlCheck {
  if (mail === null) {
    return { ok: false, reason: 'url must not be mailto:, because the service has no mail server' };
  }
  const [, name = '', domain = ''] = mailUrl.exec(text) ?? [];
  const address = `${name}@${domain.toLowerCase()}`;
  const isPlain = name !== '' && !/^\.|\.\.|\.$/.test(name) && isHostName(domain.toLowerCase());
  if (isPlain && address.length <= limits.emailCharactersMax) {
    return { ok: true, url: `mailto:${address}` };
  }
  return { ok: false, reason: 'url must be mailto: and one plain address without parameters' };
}

/** Returns the address in a URL that `checkMailUrl` returned. */
export function addressOf(url: string): string {
  return url.slice('mailto:'.length);
}
