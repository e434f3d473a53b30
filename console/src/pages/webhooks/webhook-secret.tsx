import type { Webhook } from '@agent-herald/client';
import { Alert, Button, Card, Group, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { type DialogState, useDialog } from '../../parts/use-dialog.tsx';
import { AtTime } from '../../parts/when.tsx';
import { secretAbout } from './secret-about.ts';
import { RotateSecret } from './rotate-secret.tsx';
import { type Rotation, type SigningPhase, signingPhases } from './signing-phases.ts';

/** The secret: which secret signs which header, and how to replace it. */
export function WebhookSecretTab({ webhook }: { webhook: Webhook }) {
  const rotation = useRotation(webhook);
  // Kept here, because everything below is remounted when the rotation starts.
  const [secret, setSecret] = useState<string | null>(null);
  const common = { webhook, onRotated: setSecret };
  return (
    <>
      {webhook.previousSecretExpiresAt === null ? (
        <Secret {...common} rotation={null} />
      ) : (
        <Loaded query={rotation}>{(loaded) => <Secret {...common} rotation={loaded} />}</Loaded>
      )}
      <ShownOnce
        title="The new secret"
        about={secretAbout}
        secret={secret}
        onSaved={() => setSecret(null)}
      />
    </>
  );
}

interface SecretProps {
  webhook: Webhook;
  rotation: Rotation | null;
  onRotated: (secret: string) => void;
}

/** The webhook does not show whether its new secret was promoted, but the audit log does. */
function useRotation({ uid, previousSecretExpiresAt }: Webhook) {
  const { calls, key } = useApp();
  return useQuery({
    queryKey: [...key, 'webhooks', uid, 'rotation', previousSecretExpiresAt],
    queryFn: async ({ signal }): Promise<Rotation | null> => {
      if (previousSecretExpiresAt === null) return null;
      const latest = async (action: string): Promise<string> => {
        const query = { action, targetUid: uid, limit: 1 };
        const { data } = await calls.auditLog.list(query, { signal }).page();
        return data[0]?.at ?? '';
      };
      const [rotatedAt, promotedAt] = await Promise.all([
        latest('webhook.secret_rotated'),
        latest('webhook.secret_promoted'),
      ]);
      return { until: previousSecretExpiresAt, isPromoted: promotedAt > rotatedAt };
    },
  });
}

function Secret(props: SecretProps) {
  const { mayChange } = useApp();
  return (
    <Stack gap="lg" maw={860}>
      <Card
        withBorder
        padding="lg"
        component="section"
        aria-label="Which secret signs which header"
      >
        <Title order={2} size="h4" mb="xs">
          Which secret signs which header
        </Title>
        <DataTable
          label="Which secret signs which header"
          columns={columns}
          rows={signingPhases(props.rotation)}
          keyOf={({ when }) => when}
        />
      </Card>
      {mayChange && (
        <Card withBorder padding="lg" component="section" aria-label="Replace the secret">
          <Title order={2} size="h4" mb="xs">
            Replace the secret
          </Title>
          <NextStep {...props} />
        </Card>
      )}
    </Stack>
  );
}

const columns: Column<SigningPhase>[] = [
  {
    label: 'When',
    cell: ({ when, at, isNow }) => (
      <Group gap={6}>
        <Text span inherit fw={isNow ? 600 : 400}>
          {when} {at !== null && <AtTime at={at} />}
        </Text>
        {isNow && <Tag color="blue">now</Tag>}
      </Group>
    ),
  },
  { label: 'X-Webhook-Signature', cell: ({ bodySignature }) => bodySignature },
  { label: 'webhook-signature', cell: ({ standardSignatures }) => standardSignatures },
];

function NextStep({ webhook, rotation, onRotated }: SecretProps) {
  const promoting = useDialog();
  if (rotation !== null && !rotation.isPromoted) {
    return (
      <Stack align="flex-start">
        <Text size="sm">
          Make your receiver accept both secrets, then promote the new one. Otherwise the new secret
          takes over <AtTime at={rotation.until} />, and a receiver that knows only the old one
          rejects requests from then on.
        </Text>
        <Group>
          <Button onClick={() => promoting.open(true)}>Promote the new secret</Button>
          <RotateSecret webhook={webhook} isRotating onRotated={onRotated} />
        </Group>
        {promoting.of((_, dialog) => (
          <PromoteSecret {...dialog} webhook={webhook} />
        ))}
      </Stack>
    );
  }
  return (
    <Stack align="flex-start">
      {rotation !== null && (
        <Alert color="teal" variant="light">
          The new secret is promoted. Remove the old one from your receiver half a minute after the
          promotion: everything signed with it has arrived by then.
        </Alert>
      )}
      <List type="ordered" size="sm" spacing={4}>
        <List.Item>
          Rotate: the new secret is shown only once, and both secrets sign for a while.
        </List.Item>
        <List.Item>Make your receiver accept both.</List.Item>
        <List.Item>Promote the new secret here.</List.Item>
        <List.Item>Half a minute later, remove the old one from your receiver.</List.Item>
      </List>
      <RotateSecret webhook={webhook} isRotating={false} onRotated={onRotated} />
    </Stack>
  );
}

function PromoteSecret({ webhook, ...dialog }: Pick<SecretProps, 'webhook'> & DialogState) {
  const { calls, key } = useApp();
  const promote = useChange({
    change: () => calls.webhooks.promoteSecret(webhook.uid),
    changes: [[...key, 'webhooks']],
    done: 'The new secret now signs all requests.',
    onDone: dialog.onClose,
  });
  return (
    <Confirm {...dialog} title="Promote the new secret?" verb="Promote" change={promote}>
      X-Webhook-Signature is then made with the new secret only. A receiver that checks it with the
      old secret rejects all requests. This cannot be undone.
    </Confirm>
  );
}
