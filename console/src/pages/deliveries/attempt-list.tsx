import type { Attempt } from '@agent-herald/client';
import { Accordion, Group, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatDuration } from '../../parts/format-time.ts';
import { Tag } from '../../parts/state-badge.tsx';
import { TraceLink } from '../../parts/trace-link.tsx';
import { Block, Line } from '../../parts/untrusted.tsx';
import { When } from '../../parts/when.tsx';
import { explainFailure } from './error-classes.ts';
import { phasesOf } from './timings.ts';

/** The attempts of a delivery, latest first. A new attempt is shown expanded. */
export function AttemptList({ attempts }: { attempts: readonly Attempt[] }) {
  const [opened, setOpened] = useState<readonly string[]>([]);
  const last = attempts.at(-1)?.n;
  useEffect(() => {
    if (last !== undefined) setOpened((before) => [...before, String(last)]);
  }, [last]);
  if (attempts.length === 0) return <Text c="dimmed">No attempts yet.</Text>;
  const longestMs = Math.max(...attempts.map(({ ms }) => ms.total));
  return (
    <Accordion multiple order={3} variant="separated" value={[...opened]} onChange={setOpened}>
      {attempts.toReversed().map((attempt) => (
        <Accordion.Item key={attempt.n} value={String(attempt.n)}>
          <Accordion.Control>
            <Headline attempt={attempt} longestMs={longestMs} />
          </Accordion.Control>
          <Accordion.Panel>
            <AttemptBody attempt={attempt} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

interface HeadlineProps {
  attempt: Attempt;
  longestMs: number;
}

function Headline({ attempt, longestMs }: HeadlineProps) {
  const { n, at, trigger, status, errorClass, ms } = attempt;
  const isSuccess = errorClass === null;
  return (
    <Group gap="sm" pe="xs">
      <Text span fw={600} miw={84}>
        Attempt {n}
      </Text>
      <Tag color={isSuccess ? 'teal' : 'red'}>{String(status ?? errorClass)}</Tag>
      <Text span size="sm">
        <When at={at} />
        {trigger === 'event' ? '' : ` (${trigger})`}
      </Text>
      <Progress.Root w={120} ms="auto" size="sm" aria-hidden="true">
        {phasesOf(ms).map(({ name, ms: phaseMs, color }) => (
          <Progress.Section
            key={name}
            value={(100 * phaseMs) / Math.max(1, longestMs)}
            color={color}
          />
        ))}
      </Progress.Root>
      <Text span size="sm" miw={64} ta="end">
        {formatDuration(ms.total)}
      </Text>
    </Group>
  );
}

function AttemptBody({ attempt }: { attempt: Attempt }) {
  const { detail, responseSample, responseHeaders, ms, status, traceId } = attempt;
  const failure = explainFailure(attempt);
  const phases = phasesOf(ms).map(({ name, ms: phaseMs }) => `${name} ${phaseMs} ms`);
  return (
    <Stack gap="xs">
      {failure !== null && (
        <Text size="sm">
          <strong>{failure.what}.</strong> {failure.remedy}
        </Text>
      )}
      {detail !== null && (
        <Text size="sm">
          <Line text={detail} />
        </Text>
      )}
      {phases.length > 0 && (
        <Text size="xs" c="dimmed">
          {phases.join(' · ')}
        </Text>
      )}
      {traceId !== null && (
        <Text component="div" size="xs" c="dimmed">
          Trace <TraceLink traceId={traceId} />
        </Text>
      )}
      {/* It begins when the request is sent, which mail and failed connections never do. */}
      {ms.firstByte !== undefined && (
        <Text size="xs" c="dimmed">
          Sent with X-Webhook-Attempt {attempt.n} and webhook-timestamp{' '}
          {Math.floor(Date.parse(attempt.at) / 1_000)}; the rest of the request is below.
        </Text>
      )}
      {responseHeaders.length > 0 && (
        <Text
          component="dl"
          size="xs"
          m={0}
          aria-label={`Response headers of attempt ${attempt.n}`}
        >
          {responseHeaders.map(({ name, value }) => (
            <div key={name}>
              <Text component="dt" display="inline" inherit c="dimmed">
                {name}:{' '}
              </Text>
              <Text component="dd" display="inline" inherit m={0}>
                <Line text={value} />
              </Text>
            </div>
          ))}
        </Text>
      )}
      {status !== null && <Answer sample={responseSample} n={attempt.n} />}
    </Stack>
  );
}

function Answer({ sample, n }: { sample: string; n: number }) {
  if (sample === '') {
    return (
      <Text size="sm" c="dimmed">
        The response had no body.
      </Text>
    );
  }
  return <Block text={sample} label={`Response to attempt ${n}`} />;
}
