import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import {
  ConnectionFailedError,
  HeraldError,
  HeraldProblem,
  TimedOutError,
} from '@agent-herald/client';
import { useLocation } from '@tanstack/react-router';
import { AnchorLink } from './links.tsx';
import { isListed, lists } from './pages-of.ts';
import { Uid } from './uid.tsx';
import { visibleText } from './visible-text.ts';

interface FaultProps {
  error: unknown;
  /** Retries the failed action. */
  retry?: () => void;
}

/** An error, with what to do about it. */
export function Fault({ error, retry }: FaultProps) {
  const { title, detail } = textsOf(error);
  const isMissing = error instanceof HeraldProblem && error.status === 404;
  const requestId = error instanceof HeraldProblem ? error.requestId : null;
  return (
    <Alert color="red" title={title} role="alert" variant="light">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{visibleText(detail)}</Text>
        {isMissing && <ToList />}
        {requestId !== null && !isMissing && (
          <Group gap={6}>
            <Text size="xs">Request ID in the service log:</Text>
            <Uid value={requestId} />
          </Group>
        )}
        {retry !== undefined && !isMissing && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** A link from a page of something that is not there to the list of its kind. */
function ToList() {
  const [, , appUid = '', noun = ''] = useLocation().pathname.split('/');
  if (!isListed(noun)) return null;
  return (
    <AnchorLink to={lists[noun]} params={{ appUid }} size="sm" c="inherit" underline="always">
      {`See all ${noun}`}
    </AnchorLink>
  );
}

/** Returns the message of an error in one line. */
export function messageOf(error: unknown): string {
  return visibleText(textsOf(error).detail);
}

function textsOf(error: unknown): { title: string; detail: string } {
  if (error instanceof ConnectionFailedError)
    return {
      title: 'Cannot reach the service',
      detail: 'Check your connection, and try again.',
    };
  if (error instanceof TimedOutError)
    return {
      title: 'The service did not respond in time',
      detail: 'It may be overloaded. Try again.',
    };
  if (error instanceof HeraldProblem && error.status === 404)
    return { title: 'Not found', detail: 'It does not exist, or it was deleted.' };
  if (error instanceof HeraldError) {
    const details = [error.detail, ...error.errors.map(({ detail }) => detail)];
    return { title: 'Something went wrong', detail: details.join('; ') };
  }
  const detail = error instanceof Error ? error.message : String(error);
  return { title: 'Something went wrong on this page', detail };
}
