import type { SyncWebhookBody, Webhook } from '@agent-herald/client';
import { Button, Checkbox, Group, Modal, NumberInput, Stack, TagsInput, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { Fault } from '../../parts/fault.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { formatCapped } from '../../statistics/outcomes.ts';
import { describeCounts } from '../syncs/sync-counts.ts';
import type { WebhookDialogProps } from './webhook-dialog.ts';

interface Wish {
  chosen: string[];
  externalTenantIds: string[];
  perSecond: number;
}

const perSecondUsually = 20;
const perSecondMax = 100;

/** Counts the resources that a webhook subscribes to, and sends their present state. */
export function SyncWebhook({ webhook, opened, onClose }: WebhookDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Sync the present state"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <SyncForm webhook={webhook} />
    </Modal>
  );
}

function SyncForm({ webhook }: Pick<WebhookDialogProps, 'webhook'>) {
  const [wish, setWish] = useState<Wish>({
    chosen: [...webhook.entities],
    externalTenantIds: [],
    perSecond: perSecondUsually,
  });
  const { count, start } = useSync(webhook, wish);
  const found = count.data !== undefined && 'count' in count.data ? count.data : null;
  const error = count.error ?? start.error;
  const change = (fields: Partial<Wish>): void => {
    setWish({ ...wish, ...fields });
    // What was counted is what is sent.
    count.reset();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        count.mutate();
      }}
    >
      <Stack>
        <Text size="sm">
          Sends each existing resource once, as its updated event. Resources that change meanwhile
          are sent as usual. The tenants, events and filter of the webhook apply.
          {!webhook.active &&
            ' The webhook is paused and holds the deliveries until you resume it.'}
        </Text>
        <WishFields webhook={webhook} wish={wish} change={change} />
        {found !== null && (
          <Text role="status" fw={600}>
            {found.count === 0
              ? 'No resource matches, so there is nothing to send.'
              : `${formatCapped(found)} to send: ${describeCounts(found.counts)}.`}
          </Text>
        )}
        {error !== null && <Fault error={error} />}
        <Group justify="flex-end">
          <Button
            type="submit"
            variant="default"
            loading={count.isPending}
            disabled={wish.chosen.length === 0}
          >
            Count resources
          </Button>
          <Button
            onClick={() => start.mutate()}
            loading={start.isPending}
            disabled={found === null || found.count === 0}
          >
            Start sync
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useSync(webhook: Webhook, { chosen, externalTenantIds, perSecond }: Wish) {
  const { app, calls, key } = useApp();
  const navigate = useNavigate();
  const body: SyncWebhookBody = {
    entities: webhook.entities.filter((entity) => chosen.includes(entity)),
    ...(externalTenantIds.length === 0 ? {} : { externalTenantIds }),
    perSecond,
  };
  const count = useChange({
    change: () => calls.webhooks.sync(webhook.uid, { ...body, dryRun: true }),
    changes: [],
  });
  const start = useChange({
    change: () => calls.webhooks.sync(webhook.uid, body),
    changes: [
      [...key, 'syncs'],
      [...key, 'deliveries'],
    ],
    done: 'Sync started.',
    onDone: (started) => {
      if (!('uid' in started)) return;
      const params = { appUid: app.uid, syncUid: started.uid };
      void navigate({ to: '/apps/$appUid/syncs/$syncUid', params });
    },
  });
  return { count, start };
}

interface WishFieldsProps {
  webhook: Webhook;
  wish: Wish;
  change: (fields: Partial<Wish>) => void;
}

function WishFields({ webhook, wish, change }: WishFieldsProps) {
  return (
    <>
      <Checkbox.Group
        label="Entities"
        value={wish.chosen}
        onChange={(chosen) => change({ chosen })}
      >
        <Group gap="md" mt="xs">
          {webhook.entities.map((entity) => (
            <Checkbox key={entity} value={entity} label={entity} />
          ))}
        </Group>
      </Checkbox.Group>
      <TagsInput
        label="Tenants"
        description="Exact external IDs. Press Enter after each. Empty: all tenants."
        value={wish.externalTenantIds}
        onChange={(externalTenantIds) => change({ externalTenantIds })}
      />
      <NumberInput
        label="Maximum deliveries per second"
        min={1}
        max={perSecondMax}
        allowDecimal={false}
        clampBehavior="strict"
        value={wish.perSecond}
        onChange={(value) => change({ perSecond: Number(value) || 1 })}
      />
    </>
  );
}
