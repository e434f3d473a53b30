import type { DeliveryPorts } from '../deliveries/ports.ts';
import { instruments } from '../telemetry/instruments.ts';
import type { JobPage, TakeJobPageInput } from '../temporal/job-messages.ts';
import { retentionJobUid } from '../temporal/names.ts';
import { eraseChunk } from './erasure/erase-chunk.ts';
import { findJob } from './jobs.ts';
import { type PagePorts, takePage } from './page.ts';
import { takeReleasePage } from './release/release-page.ts';
import { takeReplayPage } from './replay/replay-page.ts';
import { takeResendPage } from './resend-page.ts';
import { deleteExpired, type RetentionPorts } from './retention/retention.ts';
import { takeSyncPage } from './sync/sync-page.ts';

type JobPorts = PagePorts & RetentionPorts & Pick<DeliveryPorts, 'clock'>;

// Has no document, so it runs even if MongoDB has lost jobs.
const retention = { kind: 'retention' } as const;

/** Takes a page of a job, or of the retention. */
export async function takeJobPage(ports: JobPorts, input: TakeJobPageInput): Promise<JobPage> {
  const { store, clock } = ports;
  const { jobUid, page, cursor } = input;
  const now = clock.now();
  const job = jobUid === retentionJobUid ? retention : await findJob(store, jobUid);
  if (job === null) return { events: [], isLast: true };
  instruments.jobPages.add(1, { kind: job.kind });
  if (job.kind === 'retention') return deleteExpired(ports, { now, cursor });
  const at = { page, now };
  if (job.kind === 'release') return takePage(ports, job, { ...at, make: takeReleasePage });
  if (job.kind === 'resend') return takePage(ports, job, { ...at, make: takeResendPage });
  if (job.kind === 'replay') return takePage(ports, job, { ...at, make: takeReplayPage });
  if (job.kind === 'sync') return takePage(ports, job, { ...at, make: takeSyncPage });
  // An erasure is too large for one transaction: it runs before the page is recorded, and may be repeated.
  const erased = page > job.page ? await eraseChunk(store, job, now) : { isEnd: false };
  return takePage(ports, job, { ...at, make: async () => erased });
}
