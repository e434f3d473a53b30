import { limits } from '../../lib/limits.ts';
import type { ErasureSubject, JobToStart } from '../../lib/model/job.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { countErasure } from '../../lib/jobs/erasure/count-erasure.ts';
import { insertErasure } from '../../lib/jobs/erasure/erasures.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import type { Handler } from '../route.ts';
import { tenantField } from '../http/text-fields.ts';
import { validator } from '../http/validate.ts';
import { erasureAnswers, presentErasure } from './present-erasure.ts';
import { operation, type Operation } from '../http/operation.ts';

interface CreateErasureBody {
  externalTenantId?: string;
  mentions?: string[];
  dryRun?: boolean;
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
      dryRun: {
        type: 'boolean',
        description: 'If true, the call counts the payloads and erases nothing.',
      },
    },
  },
  ['externalTenantId', 'mentions'],
);

const facts: Operation = {
  id: 'createErasure',
  summary: 'Erase the payloads of a tenant or a user',
  example: { externalTenantId: 'tenant-1' },
  answers: erasureAnswers,
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
    const subject = readSubject(request.body);
    const once = { key: request.idempotencyKey(), secretBox, now };
    if (request.body.dryRun === true) {
      const counted = await countErasure(store, { appUid, subject });
      return { status: 200, body: { dryRun: true, ...counted } };
    }
    const { answer, repeated } = await runOnce(store, once, async (session) => {
      const erasure = await insertErasure(store, { appUid, subject, now }, session);
      // Omits the subject, because the audit log outlives the erasure.
      const target = { kind: 'erasure', uid: erasure._id };
      const entry = { appUid, action: 'erasure.created', target };
      await recordAudit(store, entry, { caller, now, session });
      return presentErasure(erasure);
    });
    const { uid: _id, state } = answer;
    const job: JobToStart = { _id, appUid, kind: 'erasure', webhookUids: [] };
    if (!repeated && state === 'running') context.starter.addJob(job);
    const location = `${request.appPath}/erasures/${answer.uid}`;
    return { status: 202, body: answer, headers: { location } };
  },
);

function readSubject({ externalTenantId, mentions }: CreateErasureBody): ErasureSubject {
  // The validator accepts exactly one of the two.
  return externalTenantId === undefined ? { mentions: mentions ?? [] } : { externalTenantId };
}
