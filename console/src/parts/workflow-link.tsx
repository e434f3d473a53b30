import { Anchor } from '@mantine/core';
import { useSettings } from '../api/settings.ts';
import { Uid } from './uid.tsx';
import { visibleText } from './visible-text.ts';
import { workflowUrl } from './workflow-url.ts';

/** A workflow, with a link to Temporal’s UI if one is configured. */
export function WorkflowLink({ workflowId }: { workflowId: string | null }) {
  const settings = useSettings();
  if (workflowId === null) return 'none yet';
  const url = settings === null ? null : workflowUrl(settings, workflowId);
  if (url === null) return <Uid value={workflowId} />;
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" size="sm" ff="monospace">
      <bdi>{visibleText(workflowId)}</bdi>
    </Anchor>
  );
}
