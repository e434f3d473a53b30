// Proof of control: the receiver answers a challenge before its webhook becomes active (docs/webhooks.md).
import { randomBytes } from 'node:crypto';
import { SharedLimit } from '../../lib/concurrency/shared-limit.ts';
import { composeMessage } from '../../lib/deliveries/compose-message.ts';
import type { Sender, SendResult } from '../../lib/egress/sender.ts';
import type { WebhookKeys } from '../../lib/identity/webhook-keys.ts';
import { egressLimits } from '../../lib/limits.ts';
import { challengeEventName } from '../../lib/model/event-name.ts';
import { hostOf, isMailUrl } from '../../lib/model/url-origin.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import { errorCode } from '../../lib/platform/error-code.ts';
import { AppError } from '../../lib/platform/errors.ts';
import { newId } from '../../lib/platform/ids.ts';
import { deliveryLog } from '../../lib/platform/logger.ts';
import { overloaded } from '../../lib/platform/overloaded.ts';
import type { SecretBox } from '../../lib/platform/secret-box.ts';

interface ChallengePorts {
  sender: Sender;
  secretBox: SecretBox;
  webhookKeys: WebhookKeys;
  clock: Clock;
}

/** Throws `challenge_failed` unless the receiver proves control, or `overloaded` if too many challenges are in flight. */
export type ReceiverChallenger = (webhook: WebhookDocument) => Promise<void>;

export function createReceiverChallenger(ports: ChallengePorts): ReceiverChallenger {
  const inFlight = new SharedLimit(egressLimits.concurrentChallengesMax);
  return async (webhook) => {
    const { appUid } = webhook;
    // A call that waited here would keep its permit of the API.
    if (!inFlight.hasRoom(appUid)) throw overloaded('too many challenges are in flight');
    inFlight.take(appUid);
    try {
      await challengeReceiver(ports, webhook);
    } finally {
      inFlight.release(appUid);
    }
  };
}

/** Checks whether the receivers of the application must prove control. */
export async function requiresChallenge(store: Store, appUid: string): Promise<boolean> {
  const app = await store.apps.findOne({ _id: appUid }, { projection: { webhookChallenge: 1 } });
  return app?.webhookChallenge === true;
}

type Target = Pick<WebhookDocument, 'url' | 'active'>;

/** Checks whether a change makes a webhook send to a receiver that it did not send to before. Mail has no response. */
export function sendsAnew(before: Target, { url, active }: Target): boolean {
  return active && !isMailUrl(url) && !(before.active && before.url === url);
}

async function challengeReceiver(ports: ChallengePorts, webhook: WebhookDocument): Promise<void> {
  const { _id: webhookUid, appUid, url } = webhook;
  // 32 characters of base64url.
  const challenge = randomBytes(24).toString('base64url');
  const result = await send(ports, webhook, challenge);
  const fault = faultOf(result, challenge);
  const { kind } = result;
  const response = kind === 'responded' ? { status: result.status } : { cause: result.cause };
  const fields = { appUid, webhookUid, host: hostOf(url), ...response, proven: fault === null };
  deliveryLog.info(fields, 'webhook.challenged');
  if (fault === null) return;
  const detail = `the receiver failed the challenge: ${fault}; it should respond within 5 s with a 2xx status and only {"challenge": "<the value>"}`;
  throw new AppError('challenge_failed', detail);
}

async function send(
  { sender, secretBox, webhookKeys, clock }: ChallengePorts,
  webhook: WebhookDocument,
  challenge: string,
): Promise<SendResult> {
  const { _id: webhookUid, appUid, url } = webhook;
  const hasKey = webhook.signatures.includes('v1a');
  const signingKey = hasKey ? await webhookKeys(appUid).active() : null;
  const compose = () => {
    const now = clock.now();
    const body = JSON.stringify({ event: challengeEventName, challenge, timestamp: now });
    const named = { _id: newId('evt', now), appUid, event: challengeEventName } as const;
    const event = { ...named, sequence: null, createdAt: now };
    const facts = { event, body, isSync: false, webhook, signingKey, now, trace: null };
    return Promise.resolve(
      composeMessage(secretBox, { ...facts, attemptNumber: 1, attemptsLeft: 0 }),
    );
  };
  try {
    return await sender.send({ url, appUid, webhookUid, compose });
  } catch (error) {
    if (errorCode(error) !== 'THROTTLED') throw error;
    throw overloaded('too many requests to this receiver are in flight');
  }
}

/** Returns null if the receiver sent the challenge back. */
export function faultOf(result: SendResult, challenge: string): string | null {
  if (result.kind === 'failed') return result.detail;
  const { status, responseSample } = result;
  if (status < 200 || status > 299) return `it responded with status ${status}`;
  return isProof(responseSample, challenge) ? null : `it responded with ${status} and another body`;
}

// Only the value: a server that echoes every request has not agreed to anything.
function isProof(text: string, challenge: string): boolean {
  try {
    const proof: unknown = JSON.parse(text);
    return JSON.stringify(proof) === JSON.stringify({ challenge });
  } catch {
    return false;
  }
}
