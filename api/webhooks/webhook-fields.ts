// The fields of a webhook that clients write, and the checks a schema cannot make.
import {
  ScheduleFault,
  parseSchedule,
  retryStepsMax,
} from '../../lib/deliveries/retry-schedule.ts';
import { AppError, type FieldError } from '../../lib/platform/errors.ts';
import { limits } from '../../lib/limits.ts';
import {
  entities,
  type Entity,
  entityOf,
  type EventName,
  eventNames,
} from '../../lib/model/event-name.ts';
import { type Ordering, orderings, type WebhookDocument } from '../../lib/model/webhook.ts';
import { checkWebhookUrl } from '../../lib/egress/webhook-url.ts';
import { lineField, tenantField } from '../http/text-fields.ts';
import { invalidRequest, validator } from '../http/validate.ts';
import type { ApiContext } from '../context.ts';

export interface CreateWebhookBody {
  url: string;
  entities: Entity[];
  events?: EventName[] | null;
  externalTenantIds?: string[] | null;
  retrySchedule?: string[] | null;
  ordering?: Ordering;
  active?: boolean;
}

/** What becomes of held deliveries when a webhook is resumed. */
const resumeWays = ['deliver', 'discard'] as const;
type OnResume = (typeof resumeWays)[number];

export type ChangeWebhookBody = Partial<CreateWebhookBody> & { onResume?: OnResume };

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
  events: {
    type: ['array', 'null'],
    minItems: 1,
    maxItems: eventNames.length,
    uniqueItems: true,
    items: { type: 'string', enum: [...eventNames] },
  },
  externalTenantIds: {
    type: ['array', 'null'],
    minItems: 1,
    maxItems: limits.tenantsPerWebhookMax,
    uniqueItems: true,
    items: tenantField,
  },
  retrySchedule: {
    type: ['array', 'null'],
    maxItems: retryStepsMax,
    items: lineField(20),
  },
  ordering: { type: 'string', enum: [...orderings] },
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
  properties: { ...properties, onResume: { type: 'string', enum: [...resumeWays] } },
});

/** The fields of a stored webhook that a body may set. */
export type WrittenFields = Partial<
  Pick<
    WebhookDocument,
    'url' | 'entities' | 'events' | 'externalTenantIds' | 'retryScheduleMs' | 'ordering' | 'active'
  >
>;

/**
 * Gives the fields that a body sets, as they are stored. Throws `invalid_webhook_url`, or
 * `invalid_request` for a schedule that cannot be kept.
 */
export function readFields(context: ApiContext, body: ChangeWebhookBody): WrittenFields {
  const { url, entities: types, events, externalTenantIds, retrySchedule } = body;
  const { ordering, active } = body;
  return {
    ...(url === undefined ? {} : { url: acceptUrl(context, url) }),
    ...(types === undefined ? {} : { entities: types }),
    ...(events === undefined ? {} : { events }),
    ...(externalTenantIds === undefined ? {} : { externalTenantIds }),
    ...(retrySchedule === undefined ? {} : { retryScheduleMs: acceptSchedule(retrySchedule) }),
    ...(ordering === undefined ? {} : { ordering }),
    ...(active === undefined ? {} : { active }),
  };
}

/** Refuses exact events of a type that the webhook does not get: it would wait for them in vain. */
export function checkEvents({ entities: types, events }: WrittenFields): void {
  const errors = (events ?? []).flatMap((event, index): FieldError[] => {
    if (types?.includes(entityOf(event)) === true) return [];
    const detail = `events.${index} is ${event}, but entities does not have ${entityOf(event)}`;
    return [{ pointer: `#/events/${index}`, code: 'not_in_entities', detail }];
  });
  if (errors.length > 0) throw invalidRequest(errors);
}

/** Gives the canonical form of a webhook's URL. Throws `invalid_webhook_url` with the reason. */
function acceptUrl(context: ApiContext, url: string): string {
  const verdict = checkWebhookUrl(url, context.config.egress);
  if (verdict.ok) return verdict.url;
  throw new AppError('invalid_webhook_url', verdict.reason, {
    errors: [{ pointer: '#/url', code: 'invalid_webhook_url', detail: verdict.reason }],
  });
}

function acceptSchedule(retrySchedule: string[] | null): number[] | null {
  if (retrySchedule === null) return null;
  try {
    return parseSchedule(retrySchedule);
  } catch (error) {
    if (!(error instanceof ScheduleFault)) throw error;
    const pointer = `#/retrySchedule${error.index === null ? '' : `/${error.index}`}`;
    const detail = `retrySchedule: ${error.message}`;
    throw invalidRequest([{ pointer, code: error.code, detail }]);
  }
}

/** The error of a webhook that is not there, or is another application's. */
export function noSuchWebhook(): AppError {
  return new AppError('not_found', 'there is no such webhook');
}
