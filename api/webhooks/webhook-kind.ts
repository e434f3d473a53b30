// The fields that each kind of webhook can have, and fields that cannot be combined.
import type { FieldError } from '../../lib/platform/errors.ts';
import { entityOf, isOperationsEvent } from '../../lib/model/event-name.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { cloudEventNames } from '../../lib/webhooks/cloud-events.ts';
import { invalidRequest } from '../http/validate.ts';

type Fields = Pick<WebhookDocument, 'kind'> & Partial<WebhookDocument>;

/** Rejects fields and events that this kind of webhook cannot have, or not together. Throws `invalid_request`. */
export function checkTogether(fields: Fields): void {
  const errors = [
    ...fieldFaults(fields),
    ...eventFaults(fields),
    ...rateFaults(fields),
    ...headerFaults(fields),
  ];
  if (errors.length > 0) throw invalidRequest(errors);
}

function fieldFaults({ kind, ...fields }: Fields): FieldError[] {
  if (kind === 'resources') return [];
  const { entities = [], externalTenantIds = null, ordering = 'parallel' } = fields;
  const { ratePerSecondPerTenant = null } = fields;
  const meaningless = {
    entities: entities.length > 0,
    externalTenantIds: externalTenantIds !== null,
    ordering: ordering !== 'parallel',
    ratePerSecondPerTenant: ratePerSecondPerTenant !== null,
  };
  return Object.entries(meaningless).flatMap(([field, isSet]): FieldError[] => {
    const detail = `${field} is for webhooks of the kind resources`;
    return isSet ? [{ pointer: `#/${field}`, code: 'not_of_kind', detail }] : [];
  });
}

function rateFaults({ ratePerSecond = null, ratePerSecondPerTenant = null }: Fields): FieldError[] {
  if (ratePerSecond === null || ratePerSecondPerTenant === null) return [];
  const detail = 'ratePerSecondPerTenant needs ratePerSecond to be null';
  return [{ pointer: '#/ratePerSecondPerTenant', code: 'not_together', detail }];
}

function headerFaults({ cloudEvents = false, headers = null }: Fields): FieldError[] {
  const name = headers?.names.find((each) => cloudEventNames.has(each.toLowerCase()));
  if (!cloudEvents || name === undefined) return [];
  const detail = `headers has ${name}, which cloudEvents sets; remove it, or set cloudEvents to false`;
  return [{ pointer: '#/headers', code: 'reserved', detail }];
}

function eventFaults({ kind, entities = [], events = null }: Fields): FieldError[] {
  return (events ?? []).flatMap((event, index): FieldError[] => {
    const [pointer, subject] = [`#/events/${index}`, `events.${index} is ${event}`];
    const isOperations = isOperationsEvent(event);
    if (isOperations !== (kind === 'operations')) {
      const detail = `${subject}, which webhooks of the kind ${kind} do not get`;
      return [{ pointer, code: 'not_of_kind', detail }];
    }
    if (isOperations || entities.includes(entityOf(event))) return [];
    const detail = `${subject}, but entities does not have ${entityOf(event)}`;
    return [{ pointer, code: 'not_in_entities', detail }];
  });
}
