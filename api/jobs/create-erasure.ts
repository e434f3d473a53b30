import { limits } from '../../lib/limits.ts';
import type { ErasureSubject } from '../../lib/model/job.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { afterAllEvents, newErasure } from '../../lib/jobs/erasures.ts';
import { insertJob } from '../../lib/jobs/job-turns.ts';
import { toStart } from '../../lib/jobs/jobs.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import type { Handler } from '../router.ts';
import { tenantField } from '../http/text-fields.ts';
import { validator } from '../http/validate.ts';
import { erasureSchema, presentErasure } from './present-erasure.ts';
import { operation, type Operation } from '../http/operation.ts';

interface CreateErasureBody {
  externalTenantId?: string;
  mentions?: string[];
}

export const createErasureBody = validator<CreateErasureBody>(
  {
    properties: {
      externalTenantId: {
        ...tenantField,
        description:
          'The tenant whose payloads are erased. Send exactly one of `externalTenantId` and `mentions`.',
      },
      mentions: {
        description:
          'The texts to look for. A payload is erased if its `data` has one of them as a whole value, at any depth. The value is an equal string, in NFC or NFD, or an equal number.',
        type: 'array',
        minItems: 1,
        maxItems: limits.mentionsPerErasureMax,
        uniqueItems: true,
        // Any characters, because payloads can contain them.
        items: { type: 'string', minLength: 1, maxLength: limits.externalIdCharactersMax },
      },
    },
  },
  ['externalTenantId', 'mentions'],
);

const facts: Operation = {
  id: 'createErasure',
  summary: 'Erase the payloads of a tenant or a user',
  example: { externalTenantId: 'tenant-1' },
  answers: {
    202: {
      description: 'The erasure, which runs or waits',
      schema: erasureSchema,
      headers: ['location'],
    },
  },
  problems: ['limit_reached'],
  takesIdempotencyKey: true,
};

/** Erases the events recorded until now for a tenant, or with one of `mentions` as a whole value. */
export const createErasure: Handler<CreateErasureBody> = operation(
  facts,
  async (request, context) => {
    const { appUid, caller } = request;
    const { store, secretBox } = context;
    const now = context.clock.now();
    const recordedBefore = await afterAllEvents(store, appUid, now);
    let erasure = newErasure(appUid, readSubject(request.body), recordedBefore);
    const once = { key: request.idempotencyKey(), secretBox, now };
    const { answer, repeated } = await runOnce(store, once, async (session) => {
      erasure = { ...erasure, state: await insertJob(store, erasure, session) };
      // Omits the subject, because the audit log outlives the erasure.
      const target = { kind: 'erasure', uid: erasure._id };
      const entry = { appUid, action: 'erasure.created', target };
      await recordAudit(store, entry, { caller, now, session });
      return presentErasure(erasure);
    });
    if (!repeated && erasure.state === 'running') context.starter.addJob(toStart(erasure));
    const location = `${request.appPath}/erasures/${answer.uid}`;
    return { status: 202, body: answer, headers: { location } };
  },
);

function readSubject({ externalTenantId, mentions }: CreateErasureBody): ErasureSubject {
  // The validator accepts exactly one of the two.
  return externalTenantId === undefined ? { mentions: mentions ?? [] } : { externalTenantId };
}
