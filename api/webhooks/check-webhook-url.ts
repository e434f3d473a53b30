import type { WebhookKind } from '../../lib/model/webhook.ts';
import { listOf, named, objectOf, text, textOrNull } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';
import { validator } from '../http/validate.ts';
import type { Handler } from '../route.ts';
import { checkUrl, kindField, urlRefused } from './webhook-fields.ts';

interface CheckWebhookUrlBody {
  url: string;
  kind?: WebhookKind;
}

export const checkWebhookUrlBody = validator<CheckWebhookUrlBody>({
  properties: {
    // Accepts any text, because the response describes what is wrong with it.
    url: { type: 'string' },
    kind: {
      ...kindField,
      description: 'The default is `resources`. Only `operations` accepts `mailto:`.',
    },
  },
  required: ['url'],
});

interface UrlProblem {
  code: string;
  detail: string;
}

const checkedSchema = named(
  'CheckedUrl',
  objectOf<{ url: string | null; problems: UrlProblem[] }>({
    url: {
      ...textOrNull,
      description: 'The URL as it would be stored. Null if the URL is refused.',
    },
    problems: listOf(named('UrlProblem', objectOf<UrlProblem>({ code: text, detail: text }))),
  }),
);

const facts: Operation = {
  id: 'checkWebhookUrl',
  summary: 'Check the URL of a webhook',
  description:
    'The call applies the rules for new webhooks. It does not check the address behind a host name. That address is checked at each attempt.',
  example: { url: 'https://hooks.example.com/agents' },
  answers: {
    200: { description: 'The URL to be stored, or the reasons against it', schema: checkedSchema },
  },
};

export const checkWebhookUrl: Handler<CheckWebhookUrlBody> = operation(
  facts,
  ({ body }, context) => {
    const { url, kind = 'resources' } = body;
    const verdict = checkUrl(context, url, kind);
    const checked = verdict.ok
      ? { url: verdict.url, problems: [] }
      : { url: null, problems: [{ code: urlRefused, detail: verdict.reason }] };
    return Promise.resolve({ status: 200, body: checked });
  },
);
