import { summarizeOutcomes } from '../../lib/temporal/delivery-summary.ts';
import type { ShownStep } from '../../lib/temporal/messages.ts';

/** A step of an order in which nothing was attempted and nothing is waiting. */
export const nothingDone: Omit<ShownStep, 'next'> = {
  settled: summarizeOutcomes([]),
  waiting: [],
  head: null,
  eventType: null,
  externalTenantId: null,
};
