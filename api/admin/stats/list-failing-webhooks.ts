import { findFailing } from '../../../lib/webhooks/failing-webhooks.ts';
import { originOf } from '../../../lib/model/url-origin.ts';
import type { StoredWebhook } from '../../../lib/model/webhook.ts';
import { operation, type Operation } from '../../http/operation.ts';
import { limitUpTo } from '../../http/query-values.ts';
import { boolean, listOf, named, objectOf, text, textOrNull, time } from '../../http/schemas.ts';
import type { AdminHandler } from '../../route.ts';

const limitDefault = 20;
const limitMax = 100;

const failingSchema = named(
  'FailingWebhook',
  objectOf<ReturnType<typeof present>>({
    appUid: text,
    webhookUid: text,
    name: textOrNull,
    urlOrigin: text,
    active: {
      ...boolean,
      description: 'False if a person paused the webhook or the service deactivated it.',
    },
    failingSince: { ...time, description: 'The first failure since the last success.' },
  }),
);

const facts: Operation = {
  id: 'listFailingWebhooks',
  summary: 'List failing webhooks',
  description:
    'The list covers all applications. The webhooks that have failed longest come first.',
  answers: {
    200: {
      description: 'The failing webhooks',
      schema: named(
        'FailingWebhooks',
        objectOf<{ data: unknown }>({ data: listOf(failingSchema) }),
      ),
    },
  },
};

const parameters = { limit: limitUpTo(limitMax, limitDefault) };

export const listFailingWebhooks: AdminHandler = operation(
  facts,
  async ({ query }, { store }) => {
    const limit = query.get('limit');
    const count = limit === null ? limitDefault : parameters.limit('limit', limit);
    const found = await findFailing(store, count);
    return { status: 200, body: { data: found.map(present) } };
  },
  parameters,
);

function present({
  _id: webhookUid,
  appUid,
  name,
  url,
  active,
  failingSince,
}: StoredWebhook & { failingSince: Date }) {
  const urlOrigin = originOf(url);
  return { appUid, webhookUid, name, urlOrigin, active, failingSince: failingSince.toISOString() };
}
