import { hostname } from 'node:os';
import type { Config } from '../lib/config/config.ts';
import { createDeliveryRecords } from '../lib/deliveries/delivery-records.ts';
import type { DeliveryPorts } from '../lib/deliveries/ports.ts';
import { firstPublicName } from '../lib/egress/host-name.ts';
import { createHttpSender } from '../lib/egress/http-sender.ts';
import { type Sender, createSender } from '../lib/egress/sender.ts';
import { createMailSender } from '../lib/egress/mail-sender.ts';
import { SharedLimit } from '../lib/concurrency/shared-limit.ts';
import { attemptLimits } from '../lib/limits.ts';
import type { Store } from '../lib/mongo/connect.ts';
import type { Clock } from '../lib/platform/clock.ts';
import type { Disposal } from '../lib/platform/disposal.ts';
import { newId } from '../lib/platform/ids.ts';
import { createWebhookKeys } from '../lib/identity/webhook-keys.ts';
import { createSecretBox } from '../lib/platform/secret-box.ts';
import { createTakenByJobSignaller } from '../lib/temporal/signal-taken-by-job.ts';
import { createPartitionSignaller } from '../lib/temporal/signal-partition.ts';
import { writeNoticeMail } from '../lib/webhooks/notice-mail.ts';
import { TriggerRecorder } from '../lib/webhooks/trigger-recorder.ts';
import type { Temporal } from './connect-temporal.ts';

export interface DeliveryDependencies {
  config: Config;
  store: Store;
  temporal: Pick<Temporal, 'client'>;
  clock: Clock;
}

/** Creates the dependencies of attempts. Closing `open` ends the requests in flight. */
export function openDeliveryPorts(
  open: Disposal,
  { config, store, temporal, clock }: DeliveryDependencies,
): DeliveryPorts {
  const secretBox = createSecretBox(config.sealingKeys);
  const rotationMs = config.signingKeyRotationMs;
  return {
    processUid: newId('prc'),
    store,
    records: createDeliveryRecords(store, open.use(new TriggerRecorder(store))),
    sender: open.use(openSender(config)),
    firstAttemptLimit: new SharedLimit(attemptLimits.concurrentFirstAttemptsMax),
    signalPartition: createPartitionSignaller(temporal.client),
    signalTakenByJob: createTakenByJobSignaller(temporal.client),
    secretBox,
    webhookKeys: createWebhookKeys({ store, secretBox, clock, rotationMs }),
    clock,
    random: Math.random,
    sendsTraceparent: config.sendsTraceparent,
    retryScheduleMs: config.retryScheduleMs,
    deactivateAfterMs: config.deactivateAfterMs,
    processingOverdueAfterMs: config.processingOverdueAfterMs,
    retention: config.retention,
  };
}

export function openSender({ egress: policy, egressProxy: proxy, mail, http }: Config): Sender {
  const write = (body: string) => writeNoticeMail(body, http.publicUrl);
  const mailSender =
    mail === null
      ? null
      : createMailSender({ ...mail, write, greeting: greetingOf(mail.from, http.publicUrl) });
  return createSender(createHttpSender({ policy, proxy }), mailSender);
}

// Strict relays refuse a greeting that is no public name, and the host name of a container is none.
function greetingOf(from: string, publicUrl: string): string | null {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  return firstPublicName([hostname(), new URL(publicUrl).hostname, domain]);
}
