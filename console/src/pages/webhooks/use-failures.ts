import type { Webhook } from '@agent-herald/client';
import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';
import { stateOf } from './webhook-state.ts';

const refreshMs = 10_000;

/** Checks whether a webhook is failing or deactivated. */
export function isTroubled(webhook: Webhook): boolean {
  return ['deactivated', 'failing'].includes(stateOf(webhook).name);
}

/** The latest failures of the application's webhooks, if one of these is in trouble. */
export function useFailures(webhooks: readonly Webhook[]) {
  const { calls, key } = useApp();
  return useQuery({
    queryKey: [...key, 'stats', 'failures'],
    queryFn: ({ signal }) => calls.stats.failures({ signal }),
    refetchInterval: refreshMs,
    enabled: webhooks.some(isTroubled),
  });
}
