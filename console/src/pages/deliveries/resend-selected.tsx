import type { Delivery } from '@agent-herald/client';
import { Alert, Button, Checkbox, Group, List, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { useKnownWebhooks, webhookLabel } from '../../api/webhooks.ts';
import { messageOf } from '../../parts/fault.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useDialog } from '../../parts/use-dialog.tsx';
import { keyOfDelivery } from './delivery-columns.tsx';
import { hasFailed, resendLabel } from './resend-choice.ts';
import { type Resent, resendEach } from './resend-each.ts';
import { ResendEffects } from './resend-effects.tsx';

interface ResendSelectedProps {
  rows: readonly Delivery[];
  keys: ReadonlySet<string>;
  setKeys: (keys: ReadonlySet<string>) => void;
}

const faultsShown = 5;

/** Selects failed or all shown deliveries, and resends them after confirmation. Rejected ones stay selected. */
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
  const asking = useDialog<readonly Delivery[]>();
  return (
    <Stack gap="xs">
      <Group gap="md" mih={30}>
        <Selection {...{ rows, selected, setKeys, isPending }} />
        {selected.length > 0 && (
          <Button size="xs" loading={isPending} onClick={() => asking.open(selected)}>
            {resendLabel(selected)}
          </Button>
        )}
      </Group>
      {asking.of((deliveries, dialog) => (
        <FormDialog
          {...dialog}
          title={`${resendLabel(deliveries)}?`}
          verb={resendLabel(deliveries)}
          change={{
            mutate: () => {
              dialog.onClose();
              resending.mutate(deliveries);
            },
            isPending: false,
            error: null,
          }}
        >
          <ResendEffects of={deliveries} />
        </FormDialog>
      ))}
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

interface SelectionProps extends Pick<ResendSelectedProps, 'rows' | 'setKeys'> {
  selected: readonly Delivery[];
  isPending: boolean;
}

/** Other deliveries need a separate button, so that nobody resends them by accident. */
function Selection({ rows, selected, setKeys, isPending }: SelectionProps) {
  const failed = rows.filter(hasFailed);
  const isSome = selected.length > 0;
  const hasAllFailed = isSome && failed.every((row) => selected.includes(row));
  const select = (deliveries: readonly Delivery[]) =>
    setKeys(new Set(deliveries.map(keyOfDelivery)));
  return (
    <>
      {(isSome || failed.length > 0) && (
        <Checkbox
          label={isSome ? `${selected.length} selected` : `Select failed (${failed.length})`}
          checked={hasAllFailed}
          indeterminate={isSome && !hasAllFailed}
          disabled={isPending}
          onChange={({ currentTarget: { checked } }) =>
            select(checked ? rows.filter((row) => hasFailed(row) || selected.includes(row)) : [])
          }
        />
      )}
      {failed.length < rows.length && selected.length < rows.length && (
        <Button size="xs" variant="subtle" disabled={isPending} onClick={() => select(rows)}>
          Select all shown ({rows.length})
        </Button>
      )}
    </>
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
          <Text size="sm">These could not be resent and are still selected:</Text>
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

/** The deliveries that are not sent until somebody resumes their webhooks. */
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
