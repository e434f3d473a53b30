// GET …/events/{eventId}/deliveries/{webhookUid}: one delivery, its workflow and its request.
import { deliveryHeaders, signatureHeaders } from '../../lib/deliveries/compose-message.ts';
import { cloudEventHeaders } from '../../lib/webhooks/cloud-events.ts';
import { requestHeaders } from '../../lib/egress/request-headers.ts';
import type { Attempt } from '../../lib/model/attempt.ts';
import { type DeliveryState, deliveryStates, isOpen } from '../../lib/model/delivery-state.ts';
import { type DeliveryDocument, pairOf } from '../../lib/model/delivery.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import { partitionNumberOf } from '../../lib/model/partition.ts';
import { isMailUrl, originOf } from '../../lib/model/url-origin.ts';
import { scheduleOf, type StoredWebhook } from '../../lib/model/webhook.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { findHead } from '../../lib/order/find-head.ts';
import { AppError } from '../../lib/platform/errors.ts';
import { jobPageWorkflowId, partitionWorkflowId } from '../../lib/temporal/names.ts';
import { listOf, named, objectOf, oneOfTexts, orNull, text, textOrNull } from '../http/schemas.ts';
import type { SignedIn } from '../access/admit-admin.ts';
import { operation, type Operation } from '../http/operation.ts';
import type { Handler } from '../route.ts';
import { readEvent } from './get-event.ts';
import { pendingDelivery } from './pending-delivery.ts';
import {
  deliveryProperties,
  type PresentedDelivery,
  presentDelivery,
  type ShownDelivery,
} from './present-delivery.ts';

interface SentRequest {
  method: string;
  url: string;
  headers: { name: string; value: string }[];
  body: string | null;
}

interface Blocker {
  eventId: string;
  state: DeliveryState;
}

interface Detail {
  waitsFor: Blocker | null;
  workflowId: string | null;
  request: SentRequest | null;
}

const requestSchema = named(
  'DeliveryRequest',
  objectOf<SentRequest>({
    method: text,
    url: {
      ...text,
      description:
        'The current URL of the webhook. API keys see only its origin, because paths and queries often contain a secret.',
    },
    headers: {
      ...listOf(objectOf<SentRequest['headers'][number]>({ name: text, value: text })),
      description:
        'The headers in the order in which they are sent. Signatures appear as `…`. Admins also see the current `headers` and `auth` of the webhook, with `…` for the values. HTTP adds headers such as `Host`. A recorded trace adds `traceparent`.',
    },
    body: {
      ...textOrNull,
      description: 'The exact bytes of the body, in UTF-8. Null after an erasure.',
    },
  }),
);

const blockerSchema = named(
  'EarlierDelivery',
  objectOf<Blocker>({ eventId: text, state: oneOfTexts(deliveryStates) }),
);

const facts: Operation = {
  id: 'getDelivery',
  summary: 'Get a delivery and its request',
  answers: {
    200: {
      description: 'The delivery',
      schema: named(
        'DeliveryDetail',
        objectOf<PresentedDelivery & Detail>({
          ...deliveryProperties,
          waitsFor: {
            ...orNull(blockerSchema),
            description:
              'The delivery of an earlier event of the same resource that must end first, at a webhook with `ordering: "resource"`. Null unless this delivery is `pending` behind it.',
          },
          workflowId: {
            ...textOrNull,
            description:
              'The Temporal workflow that makes the attempts, or made them. Null until a workflow is chosen. For an ordered webhook, it can be the workflow of the partition even if another workflow made the only attempt.',
          },
          request: {
            ...orNull(requestSchema),
            description:
              'The request of the latest attempt, or of a first attempt made now. `X-Webhook-Attempt` has the `n` of the attempt, and the timestamps have its `at`. `X-Webhook-Attempts-Left` and `cloudEvents` are those of the present settings. Null if the webhook was deleted or receives mail.',
          },
        }),
      ),
    },
  },
};

/** Also throws `not_found` for a webhook that does not get the event. */
export const getDelivery: Handler = operation(facts, async (request, context) => {
  const { appUid, params, signedIn } = request;
  const { store, clock } = context;
  const event = await readEvent(request, context);
  const webhookUid = params['webhookUid'] ?? '';
  const [delivery, webhook] = await Promise.all([
    store.deliveries.findOne({ _id: pairOf({ eventId: event._id, webhookUid }) }),
    store.webhooks.findOne({ _id: webhookUid, appUid }),
  ]);
  if (delivery === null && !event.webhookUids.includes(webhookUid)) {
    throw new AppError('not_found', 'there is no such delivery');
  }
  const shown = delivery ?? pendingDelivery(event, webhookUid);
  const last = shown.attempts.at(-1) ?? { n: 1, at: clock.now() };
  const { retryScheduleMs } = context.config;
  const isSync = delivery?.requeuedAs === 'sync';
  const sent = { ...last, isSync, scheduleFrom: delivery?.scheduleFrom ?? 0, retryScheduleMs };
  const detail: Detail = {
    waitsFor: await findBlocker(store, event, shown),
    workflowId: workflowOf(event, { webhookUid, delivery }),
    request: webhook === null ? null : requestOf(shownTo(signedIn, webhook), event, sent),
  };
  return { status: 200, body: { ...presentDelivery(shown), ...detail } };
});

/** Returns the delivery that an ordered one waits for. */
async function findBlocker(
  store: Store,
  event: EventDocument,
  { webhookUid, state, jobUid }: ShownDelivery & Partial<Pick<DeliveryDocument, 'jobUid'>>,
): Promise<Blocker | null> {
  const partitionNumber = partitionNumberOf(event, webhookUid);
  // A resend goes past the order.
  if (partitionNumber === null || state !== 'pending' || typeof jobUid === 'string') return null;
  const eventId = await findHead(store, partitionNumber);
  if (eventId === null) return null;
  const head = await store.deliveries.findOne(
    { _id: pairOf({ eventId, webhookUid }) },
    { projection: { state: 1 } },
  );
  return { eventId, state: head?.state ?? 'pending' };
}

function workflowOf(
  event: EventDocument,
  { webhookUid, delivery }: { webhookUid: string; delivery: DeliveryDocument | null },
): string | null {
  if (delivery !== null && delivery.jobUid !== null) {
    return jobPageWorkflowId(delivery.jobUid, delivery.jobPage ?? 0);
  }
  const partitionNumber = partitionNumberOf(event, webhookUid);
  // If the first attempt settled it, the partition's workflow may never have had it. A replay uses only that workflow.
  const isInOrder = partitionNumber !== null && (delivery === null || isLong(delivery));
  return isInOrder ? partitionWorkflowId(partitionNumber.partition) : event.workflowId;
}

function isLong({ state, attemptCount, requeuedAt }: DeliveryDocument): boolean {
  return isOpen(state) || attemptCount > 1 || requeuedAt !== null;
}

type ShownAttempt = Pick<Attempt, 'n' | 'at'> &
  Pick<DeliveryDocument, 'scheduleFrom'> & {
    isSync: boolean;
    /** The default schedule. */
    retryScheduleMs: readonly number[];
  };

type ShownWebhook = Pick<
  StoredWebhook,
  '_id' | 'url' | 'headers' | 'auth' | 'cloudEvents' | 'retryScheduleMs'
>;

/** A key that can read events may not be allowed to read webhooks. */
function shownTo(signedIn: SignedIn | null, webhook: StoredWebhook): ShownWebhook {
  if (signedIn !== null) return webhook;
  return { ...webhook, url: originOf(webhook.url), headers: null, auth: null };
}

function requestOf(
  webhook: ShownWebhook,
  event: EventDocument,
  attempt: ShownAttempt,
): SentRequest | null {
  const { url } = webhook;
  if (isMailUrl(url)) return null;
  return {
    method: 'POST',
    url,
    headers: headersOf(webhook, event, attempt),
    body: event.erasedAt === null ? event.body : null,
  };
}

/** Shows `…` for signatures and for the webhook's own headers and credentials, so that secrets stay hidden. */
function headersOf(
  webhook: ShownWebhook,
  event: EventDocument,
  attempt: ShownAttempt,
): SentRequest['headers'] {
  const { _id: webhookUid, headers, auth, cloudEvents } = webhook;
  const own = [...(headers?.names ?? []), ...(auth === null ? [] : ['Authorization'])];
  const secrets = { body: '', standard: [] };
  const ours = deliveryHeaders({
    event,
    body: '',
    webhookUid,
    isSync: attempt.isSync,
    secrets,
    signingKey: null,
    attemptNumber: attempt.n,
    attemptsLeft: leftAfter(attempt, scheduleOf(webhook, event.event, attempt.retryScheduleMs)),
    now: attempt.at,
  });
  const more = cloudEvents ? cloudEventHeaders(event, event.body) : {};
  const sent = requestHeaders({ ...hide(own), ...ours, ...more, ...hide(signatureHeaders) });
  return Object.entries(sent).map(([name, value]) => ({ name, value }));
}

// An attempt before a requeue is taken for the last one.
function leftAfter({ n, scheduleFrom }: ShownAttempt, scheduleMs: readonly number[]): number {
  return n <= scheduleFrom ? 0 : Math.max(0, scheduleFrom + scheduleMs.length + 1 - n);
}

function hide(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '…']));
}
