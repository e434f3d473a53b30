import type { Webhook } from '@agent-herald/client';
import { useDebouncedValue } from '@mantine/hooks';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';

const typingPauseMs = 350;

interface UrlCheck {
  isChecking: boolean;
  /** Why the service would refuse the URL; null while it does not, or is not asked yet. */
  refusal: string | null;
  /** How the service would write it; null where it is refused. */
  canonical: string | null;
}

/** Asks the service for its own verdict on a URL, when the typing pauses. */
export function useUrlCheck(typed: string, kind: Webhook['kind']): UrlCheck {
  const { calls, key } = useApp();
  const trimmed = typed.trim();
  const [url] = useDebouncedValue(trimmed, typingPauseMs);
  const { data, isFetching } = useQuery({
    queryKey: [...key, 'check-url', kind, url],
    queryFn:
      url === '' ? skipToken : ({ signal }) => calls.webhooks.checkUrl({ url, kind }, { signal }),
    staleTime: Infinity,
  });
  const isCurrent = url === trimmed && url !== '';
  if (!isCurrent) return { isChecking: trimmed !== '', refusal: null, canonical: null };
  return {
    isChecking: isFetching,
    refusal: data?.problems.map(({ detail }) => detail).join('; ') || null,
    canonical: data?.url ?? null,
  };
}
