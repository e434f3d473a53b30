import type { Delivery } from '@agent-herald/client';
import { Alert, Button, Checkbox, Group, List, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { messageOf } from '../../parts/fault.tsx';
import { Uid } from '../../parts/uid.tsx';
import { keyOfDelivery } from './delivery-columns.tsx';
import { type Failure, resendEach } from './resend-each.ts';

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
    onSuccess: async (failures) => {
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
      {data !== undefined && <Summary count={variables?.length ?? 0} failures={data} />}
    </Stack>
  );
}

function Summary({ count, failures }: { count: number; failures: readonly Failure<Delivery>[] }) {
  const sent = count - failures.length;
  const title = `${sent} of ${count} ${count === 1 ? 'delivery is' : 'deliveries are'} being sent again`;
  return (
    <Alert color={failures.length === 0 ? 'teal' : 'red'} title={title} role="status">
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
