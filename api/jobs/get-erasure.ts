import { AppError } from '../../lib/platform/errors.ts';
import type { Handler } from '../route.ts';
import { erasureSchema, presentErasure } from './present-erasure.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'getErasure',
  summary: 'Get an erasure and its progress',
  answers: { 200: { description: 'The erasure', schema: erasureSchema } },
};

export const getErasure: Handler = operation(facts, async ({ appUid, params }, { store }) => {
  const erasure = await store.jobs.findOne({ _id: params['erasureUid'] ?? '', appUid });
  if (erasure?.kind !== 'erasure') throw new AppError('not_found', 'there is no such erasure');
  return { status: 200, body: presentErasure(erasure) };
});
