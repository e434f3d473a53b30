// The fields of a webhook that clients write, and the checks a schema cannot make.
import { AppError } from '../../lib/errors.ts';
import { entities } from '../../lib/events.ts';
import type { Entity } from '../../lib/events.ts';
import { checkWebhookUrl } from '../../lib/net/webhook-url.ts';
import { validator } from '../http/validate.ts';
import type { ApiContext } from '../context.ts';

export interface CreateWebhookBody {
  url: string;
  entities: Entity[];
  active?: boolean;
}

export type ChangeWebhookBody = Partial<CreateWebhookBody>;

const properties = {
  // The length and form of the URL are the guard's to judge, in one place.
  url: { type: 'string' },
  entities: {
    type: 'array',
    minItems: 1,
    maxItems: entities.length,
    uniqueItems: true,
    items: { type: 'string', enum: [...entities] },
  },
  active: { type: 'boolean' },
};

export const createWebhookBody = validator<CreateWebhookBody>({
  type: 'object',
  additionalProperties: false,
  required: ['url', 'entities'],
  properties,
});

export const changeWebhookBody = validator<ChangeWebhookBody>({
  type: 'object',
  additionalProperties: false,
  properties,
});

/** Gives the canonical form of a webhook's URL. Throws `invalid_webhook_url` with the reason. */
export function acceptUrl(context: ApiContext, url: string): string {
  const verdict = checkWebhookUrl(url, context.config.egress);
  if (verdict.ok) return verdict.url;
  throw new AppError('invalid_webhook_url', verdict.reason, {
    errors: [{ pointer: '#/url', code: 'invalid_webhook_url', detail: verdict.reason }],
  });
}

/** The error of a webhook that is not there, or is another application's. */
export function noSuchWebhook(): AppError {
  return new AppError('not_found', 'there is no such webhook');
}
