// The webhooks that a body names in `webhookUids`.
import { limits } from '../../lib/limits.ts';
import type { KnownWebhook } from '../../lib/model/webhook.ts';
import type { FieldError } from '../../lib/platform/errors.ts';
import { uidField } from '../http/text-fields.ts';
import { invalidRequest } from '../http/validate.ts';

export const webhookUidsField = {
  type: 'array',
  minItems: 1,
  maxItems: limits.webhooksPerAppCeiling,
  uniqueItems: true,
  items: uidField,
  description: 'The webhooks of the application to send to.',
};

/** Throws `unknown_webhook_uids` if a body names webhooks that are not in the list. */
export function refuseOthers(named: readonly string[], webhooks: readonly KnownWebhook[]): void {
  const known = new Set(webhooks.map((webhook) => webhook._id));
  const errors = named.flatMap((uid, index): FieldError[] => {
    if (known.has(uid)) return [];
    const detail = `${uid} is not a webhook of this application that can get these events`;
    return [{ pointer: `#/webhookUids/${index}`, code: 'unknown_webhook', detail }];
  });
  if (errors.length > 0) throw invalidRequest(errors, 'unknown_webhook_uids');
}
