// Resumes a webhook like the API does, and takes the first page of its release.
import { takeJobPage } from '../../lib/jobs/take-job-page.ts';
import type { DeliveryPorts } from '../../lib/deliveries/ports.ts';
import type { DeliveryKey } from '../../lib/model/delivery.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { newRelease } from '../../lib/jobs/jobs.ts';
import type { JobPage } from '../../lib/temporal/job-messages.ts';

/** Resumes a webhook and takes the first page of its release. `fields` are set with the resume. */
export async function resumeWebhook(
  ports: DeliveryPorts,
  { appUid, webhookUid }: Pick<DeliveryKey, 'appUid' | 'webhookUid'>,
  fields: Partial<WebhookDocument> = {},
): Promise<{ jobUid: string; page: JobPage }> {
  const release = newRelease({ appUid, webhookUid }, ports.clock.now());
  const { _id: jobUid } = release;
  await ports.store.jobs.insertOne(release);
  await ports.store.webhooks.updateOne(
    { _id: webhookUid },
    { $set: { active: true, releaseUid: jobUid, ...fields } },
  );
  return { jobUid, page: await takeJobPage(ports, { jobUid, page: 1 }) };
}
