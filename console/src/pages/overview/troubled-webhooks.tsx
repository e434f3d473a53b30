import type { Webhook } from '@agent-herald/client';
import { Alert, Group, Stack, Text } from '@mantine/core';
import { useApp } from '../../api/app.tsx';
import { webhookLabel } from '../../api/webhooks.ts';
import { AnchorLink } from '../../parts/links.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { AtTime, When } from '../../parts/when.tsx';
import { formatHeld } from '../../statistics/outcomes.ts';
import { stateOf } from '../webhooks/webhook-state.ts';

/** The webhooks that need attention, deactivated ones first. */
export function TroubledWebhooks({ webhooks }: { webhooks: readonly Webhook[] }) {
  const troubled = webhooks.filter((webhook) =>
    ['deactivated', 'failing'].includes(stateOf(webhook).name),
  );
  const isAnyDown = troubled.some(({ active }) => !active);
  if (troubled.length === 0) return null;
  const noun = troubled.length === 1 ? 'webhook needs' : 'webhooks need';
  return (
    <Alert
      color={isAnyDown ? 'red' : 'yellow'}
      variant="light"
      title={`${troubled.length} ${noun} attention`}
      role="region"
    >
      <Stack gap="sm">
        {troubled
          .toSorted((left, right) => Number(left.active) - Number(right.active))
          .map((webhook) => (
            <Troubled key={webhook.uid} webhook={webhook} />
          ))}
      </Stack>
    </Alert>
  );
}

function Troubled({ webhook }: { webhook: Webhook }) {
  const { app } = useApp();
  const { uid, failingSince, deactivatesAt, disabledReason, heldCount } = webhook;
  const state = stateOf(webhook);
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <AnchorLink
          to="/apps/$appUid/webhooks/$webhookUid"
          params={{ appUid: app.uid, webhookUid: uid }}
          fw={600}
          c="inherit"
          underline="always"
        >
          <Line text={webhookLabel(webhook)} />
        </AnchorLink>
        <Tag color={state.color}>{state.name}</Tag>
      </Group>
      <Text size="sm">
        {disabledReason === 'gone' && 'The receiver responded with 410 Gone. '}
        {failingSince !== null && (
          <>
            Failing since <When at={failingSince} />.{' '}
          </>
        )}
        {deactivatesAt !== null && (
          <>
            It will be deactivated <AtTime at={deactivatesAt} />, unless an attempt succeeds.{' '}
          </>
        )}
        {heldCount > 0 && `${formatHeld(heldCount)} held.`}
      </Text>
    </Stack>
  );
}
