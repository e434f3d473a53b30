import type { Delivery } from '@agent-herald/client';
import { Alert, Button, Checkbox, Group, List, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { useKnownWebhooks, webhookLabel } from '../../api/webhooks.ts';
import { messageOf } from '../../parts/fault.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { keyOfDelivery } from './delivery-columns.tsx';
import { type Resent, resendEach } from './resend-each.ts';

interface ResendSelectedProps {
  rows: readonly Delivery[];
  keys: ReadonlySet<string>;
  setKeys: (keys: ReadonlySet<string>) => void;
}

const faultsShown = 5;

/** Selects all rows that are shown, and resends those that are selected; what fails stays selected. */
export function ResendSelected({ rows, keys, setKeys }: ResendSelectedProps) {
  const { calls, key } = useApp();
  const client = useQueryClient();
  const [doneCount, setDoneCount] = useState(0);
  const selected = rows.filter((row) => keys.has(keyOfDelivery(row)));
  const resending = useMutation({
    mutationFn: (deliveries: readonly Delivery[]) => {
      setDoneCount(0);
      return resendEach(deliveries, {
        resend: ({ eventId, webhookUid }) =>
          calls.events.resend(eventId, { webhookUids: [webhookUid] }),
        onDone: setDoneCount,
      });
    },
    onSuccess: async ({ failures }) => {
      setKeys(new Set(failures.map(({ row }) => keyOfDelivery(row))));
      await client.invalidateQueries({ queryKey: key });
    },
  });
  const { isPending, variables, data } = resending;
  return (
    <Stack gap="xs">
      <Group gap="md" mih={36}>
        <Checkbox
          label={selected.length === 0 ? 'Select all shown' : `${selected.length} selected`}
          checked={selected.length > 0 && selected.length === rows.length}
          indeterminate={selected.length > 0 && selected.length < rows.length}
          disabled={isPending}
          onChange={({ currentTarget: { checked } }) =>
            setKeys(new Set(checked ? rows.map(keyOfDelivery) : []))
          }
        />
        {selected.length > 0 && (
          <Button size="xs" loading={isPending} onClick={() => resending.mutate(selected)}>
            Resend {selected.length} {selected.length === 1 ? 'delivery' : 'deliveries'}
          </Button>
        )}
      </Group>
      {isPending && variables !== undefined && (
        <Progress.Root size="lg">
          <Progress.Section
            value={(100 * doneCount) / variables.length}
            aria-label={`${doneCount} of ${variables.length} resent`}
          />
        </Progress.Root>
      )}
      {data !== undefined && <Summary count={variables?.length ?? 0} resent={data} />}
    </Stack>
  );
}

function Summary({ count, resent }: { count: number; resent: Resent<Delivery> }) {
  const { failures, held } = resent;
  const sent = count - failures.length - held.length;
  const title = `${sent} of ${count} ${count === 1 ? 'delivery is' : 'deliveries are'} being sent again`;
  const color = failures.length > 0 ? 'red' : held.length > 0 ? 'yellow' : 'teal';
  return (
    <Alert color={color} title={title} role="status">
      {held.length > 0 && <Held rows={held} />}
      {failures.length > 0 && (
        <>
          <Text size="sm">These were refused, and are still selected:</Text>
          <List size="sm">
            {failures.slice(0, faultsShown).map(({ row, error }) => (
              <List.Item key={keyOfDelivery(row)}>
                <Uid value={row.eventId} />: {messageOf(error)}
              </List.Item>
            ))}
          </List>
          {failures.length > faultsShown && (
            <Text size="sm">and {failures.length - faultsShown} more</Text>
          )}
        </>
      )}
    </Alert>
  );
}

/** What is not sent before somebody resumes its webhooks. */
function Held({ rows }: { rows: readonly Delivery[] }) {
  const { app } = useApp();
  const names = new Map(useKnownWebhooks().map((one) => [one.uid, webhookLabel(one)]));
  const webhookUids = [...new Set(rows.map(({ webhookUid }) => webhookUid))];
  return (
    <>
      <Text size="sm">
        {rows.length} {rows.length === 1 ? 'is' : 'are'} held until{' '}
        {webhookUids.length === 1 ? 'this paused webhook is' : 'these paused webhooks are'} resumed:
      </Text>
      <List size="sm">
        {webhookUids.map((webhookUid) => (
          <List.Item key={webhookUid}>
            <AnchorLink
              to="/apps/$appUid/webhooks/$webhookUid"
              params={{ appUid: app.uid, webhookUid }}
              inherit
              c="inherit"
              underline="always"
            >
              <Line text={names.get(webhookUid) ?? webhookUid} />
            </AnchorLink>
          </List.Item>
        ))}
      </List>
    </>
  );
}
