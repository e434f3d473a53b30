// GET /.well-known/webhook-sources.json: where webhook requests come from, for the firewalls of receivers.
import { entityTagOf } from '../http/entity-tag.ts';
import { operation, type Operation } from '../http/operation.ts';
import { boolean, listOf, named, objectOf, text } from '../http/schemas.ts';
import type { Handler } from '../route.ts';

interface WebhookSources {
  known: boolean;
  addresses: string[];
}

const sourcesSchema = named(
  'WebhookSources',
  objectOf<WebhookSources>({
    known: {
      ...boolean,
      description:
        'False if the operators have not stated the addresses: then do not filter by them.',
    },
    addresses: { ...listOf(text), description: 'IPv4 and IPv6 addresses and address ranges.' },
  }),
);

const facts: Operation = {
  id: 'getWebhookSources',
  summary: 'Get the addresses of webhook requests',
  description: 'A firewall in front of a receiver can read them here.',
  answers: {
    200: { description: 'The addresses', schema: sourcesSchema, headers: ['etag'] },
    304: { description: 'Not modified: your copy is current' },
  },
};

// New addresses are announced before requests come from them, so an hour is soon enough.
const cacheControl = 'public, max-age=3600';

export const getWebhookSources: Handler = operation(facts, async (_request, { config }) => {
  const { egressAddresses: addresses } = config;
  const body: WebhookSources = { known: addresses.length > 0, addresses };
  const headers = { 'cache-control': cacheControl, etag: entityTagOf(JSON.stringify(body)) };
  return { status: 200, body, headers };
});
