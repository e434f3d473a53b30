// The fields that each kind of webhook can have.
import type { FieldError } from '../../lib/platform/errors.ts';
import { entityOf, isOperationsEvent } from '../../lib/model/event-name.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { invalidRequest } from '../http/validate.ts';

type KindFields = Pick<WebhookDocument, 'kind'> &
  Partial<Pick<WebhookDocument, 'entities' | 'events' | 'externalTenantIds' | 'ordering'>>;

/** Rejects fields and events that this kind of webhook cannot have. Throws `invalid_request`. */
export function checkKind(fields: KindFields): void {
  const errors = [...fieldFaults(fields), ...eventFaults(fields)];
  if (errors.length > 0) throw invalidRequest(errors);
}

function fieldFaults({ kind, ...fields }: KindFields): FieldError[] {
  if (kind === 'resources') return [];
  const { entities = [], externalTenantIds = null, ordering = 'parallel' } = fields;
  const meaningless = {
    entities: entities.length > 0,
    externalTenantIds: externalTenantIds !== null,
    ordering: ordering !== 'parallel',
  };
  return Object.entries(meaningless).flatMap(([field, isSet]): FieldError[] => {
    const detail = `${field} is for webhooks of the kind resources`;
    return isSet ? [{ pointer: `#/${field}`, code: 'not_of_kind', detail }] : [];
  });
}

function eventFaults({ kind, entities = [], events = null }: KindFields): FieldError[] {
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
