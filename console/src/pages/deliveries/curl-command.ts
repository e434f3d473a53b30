// A delivery's request as a command for a shell.
import type { DeliveryRequest } from '@agent-herald/client';
import { hasHidden } from '../../parts/visible-text.ts';

/** Placeholders for values that the service does not show, by the lower-case name of the header. */
const sources: Readonly<Record<string, string>> = {
  'x-webhook-signature': 'sha256=HEX_HMAC_SHA256_OF_THE_BODY_WITH_THE_WEBHOOKS_SECRET',
  'webhook-signature': 'v1,BASE64_FROM_VERIFY_THE_SIGNATURE_WITH_THE_WEBHOOKS_SECRET',
};
const hiddenValue = '…';

function valueOf({ name, value }: DeliveryRequest['headers'][number]): string {
  if (value !== hiddenValue) return value;
  return sources[name.toLowerCase()] ?? 'VALUE_SET_AT_THE_WEBHOOK';
}

/** Quotes a text for a shell. Bash escapes bytes that a terminal would not show. */
function quote(text: string): string {
  if (!hasHidden(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const characters = Array.from(text).map((character) => {
    if (character === "'" || character === '\\') return `\\${character}`;
    return hasHidden(character) ? namedBytes(character) : character;
  });
  return `$'${characters.join('')}'`;
}

function namedBytes(character: string): string {
  const bytes = [...new TextEncoder().encode(character)];
  return bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Returns a command that repeats the request. Secrets appear as placeholders to fill in. */
export function curlCommand({ method, url, headers, body }: DeliveryRequest): string {
  const lines = [
    // Without it, curl would expand brackets and braces in the URL.
    `curl --globoff -X ${method} ${quote(url)}`,
    ...headers.map((header) => `-H ${quote(`${header.name}: ${valueOf(header)}`)}`),
    ...(body === null ? [] : [`--data-raw ${quote(body)}`]),
  ];
  return lines.join(' \\\n  ');
}
