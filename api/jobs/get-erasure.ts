// GET …/erasures/{erasureUid}: the progress of an erasure.
import { AppError } from '../../lib/platform/errors.ts';
import type { Handler } from '../router.ts';
import { presentErasure } from './present-erasure.ts';

export const getErasure: Handler = async ({ appUid, params }, { store }) => {
  const erasure = await store.jobs.findOne({ _id: params['erasureUid'] ?? '', appUid });
  if (erasure?.kind !== 'erasure') throw new AppError('not_found', 'there is no such erasure');
  return { status: 200, body: presentErasure(erasure) };
};
