import type { WebhookKind } from '../../lib/model/webhook.ts';
import { listOf, named, objectOf, text, textOrNull } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';
import { validator } from '../http/validate.ts';
import type { Handler } from '../router.ts';
import { checkUrl, kindField, urlRefused } from './webhook-fields.ts';

interface CheckWebhookUrlBody {
  url: string;
  kind?: WebhookKind;
}

export const checkWebhookUrlBody = validator<CheckWebhookUrlBody>({
  properties: {
    // Any text: what is wrong with it is the answer.
    url: { type: 'string' },
    kind: {
      ...kindField,
      description: '`resources` by default; only `operations` takes `mailto:`.',
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
    url: { ...textOrNull, description: 'As it would be stored; null if it is refused.' },
    problems: listOf(named('UrlProblem', objectOf<UrlProblem>({ code: text, detail: text }))),
  }),
);

const facts: Operation = {
  id: 'checkWebhookUrl',
  summary: 'Checks the URL of a webhook',
  description:
    'By the rules of registration. The address behind a name is checked at each attempt, not here.',
  example: { url: 'https://hooks.example.com/agents' },
  answers: { 200: { description: 'What it would be, or why not', schema: checkedSchema } },
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
