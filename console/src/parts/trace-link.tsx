import { Anchor } from '@mantine/core';
import { useSettings } from '../api/settings.ts';
import { traceUrl } from './trace-url.ts';
import { Uid } from './uid.tsx';

/** A trace, with a link to the operators’ tool if one is configured. */
export function TraceLink({ traceId }: { traceId: string }) {
  const settings = useSettings();
  const url = settings === null ? null : traceUrl(settings, traceId);
  if (url === null) return <Uid value={traceId} />;
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" size="xs" ff="monospace">
      {traceId}
    </Anchor>
  );
}
