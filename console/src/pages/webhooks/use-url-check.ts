import type { Webhook } from '@agent-herald/client';
import { useDebouncedValue } from '@mantine/hooks';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useApp } from '../../api/app.tsx';

const typingPauseMs = 350;

interface UrlCheck {
  isChecking: boolean;
  /** Why the service would reject the URL. Null if it would not, or has not checked it yet. */
  refusal: string | null;
  /** The URL as the service would store it. Null if it is rejected. */
  canonical: string | null;
}

/** Has the service validate a URL when the typing pauses. */
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
