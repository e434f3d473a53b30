import { expect, test } from 'vitest';
import { curlCommand } from '../src/pages/deliveries/curl-command.ts';

const url = 'https://hooks.example.com/in?a=1&b=$HOME';

function withBody(body: string | null): string {
  return curlCommand({ method: 'POST', url, headers: [], body });
}

test('the secret values of a command name their source', () => {
  const names = ['X-Webhook-Signature', 'webhook-signature', 'X-Tenant'];
  const headers = [
    { name: 'Content-Type', value: 'application/json' },
    ...names.map((name) => ({ name, value: '…' })),
  ];
  expect(curlCommand({ method: 'POST', url, headers, body: '{}' }).split(' \\\n  ')).toEqual([
    `curl --globoff -X POST '${url}'`,
    "-H 'Content-Type: application/json'",
    "-H 'X-Webhook-Signature: sha256=HEX_HMAC_SHA256_OF_THE_BODY_WITH_THE_WEBHOOKS_SECRET'",
    "-H 'webhook-signature: v1,BASE64_FROM_VERIFY_THE_SIGNATURE_WITH_THE_WEBHOOKS_SECRET'",
    "-H 'X-Tenant: VALUE_SET_AT_THE_WEBHOOK'",
    "--data-raw '{}'",
  ]);
});

test('nothing in a body can end the quotes', () => {
  expect(withBody('it\'s $(id) `id` "q" \\ !')).toContain(
    String.raw`--data-raw 'it'\''s $(id) ${'`id`'} "q" \ !'`,
  );
});

test('characters that a terminal would not show are escaped byte by byte', () => {
  expect(withBody("\u202E\u009B31m it's \\ ünï 😀")).toContain(
    String.raw`$'\xe2\x80\xae\xc2\x9b31m it\'s \\ ünï 😀'`,
  );
});

test('a request without a body has none', () => {
  expect(withBody(null)).not.toContain('--data');
});
