// Deliveries of a webhook, signed now like the service signs them.
import { deliveryHeaders } from '../../lib/deliveries/compose-message.ts';
import { testEventName } from '../../lib/model/event-name.ts';

export const receiverSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

interface Wanted {
  eventId?: string;
  uid?: string;
  sequence?: number | null;
  /** `X-Webhook-Sequence`, if it is forged. */
  header?: number | undefined;
  isTest?: boolean;
  /** Added to the data, so that the body has at least that many bytes. */
  bytes?: number;
  secret?: string;
}

/** Returns the headers and the body of a delivery of `agent.updated`. */
export function signedDelivery(wanted: Wanted = {}) {
  const { eventId = 'evt_1', uid = 'agt_1', sequence = 1, isTest = false } = wanted;
  const { secret = receiverSecret, bytes = 0 } = wanted;
  const body = JSON.stringify({
    eventId,
    event: 'agent.updated',
    timestamp: new Date().toISOString(),
    appUid: 'app_1',
    version: 1,
    ...(isTest ? { test: true } : {}),
    data: { uid, externalTenantId: 'tenant-1', description: 'ü'.repeat(Math.ceil(bytes / 2)) },
    ...(sequence === null ? {} : { sequence }),
  });
  const headers = deliveryHeaders({
    isSync: false,
    webhookUid: 'whk_1',
    signingKey: null,
    event: {
      _id: eventId,
      event: isTest ? testEventName : 'agent.updated',
      sequence: wanted.header ?? sequence,
    },
    body,
    secrets: { body: secret, standard: [secret] },
    attemptNumber: 1,
    attemptsLeft: 11,
    now: new Date(),
  });
  return { method: 'POST', headers, body };
}
