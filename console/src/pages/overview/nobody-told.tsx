import type { Webhook } from '@agent-herald/client';
import { Alert } from '@mantine/core';
import { useApp } from '../../api/app.tsx';
import { AnchorLink } from '../../parts/links.tsx';

/** Says that a failing webhook would tell nobody, until there is an active operations webhook. */
export function NobodyTold({ webhooks }: { webhooks: readonly Webhook[] }) {
  const { app, mayChange } = useApp();
  const isTold = webhooks.some(({ kind, active }) => kind === 'operations' && active);
  if (isTold || webhooks.length === 0) return null;
  return (
    <Alert color="gray" variant="light" title="A failing webhook would tell nobody" role="note">
      {mayChange ? (
        <AnchorLink
          to="/apps/$appUid/webhooks/new"
          params={{ appUid: app.uid }}
          search={{ kind: 'operations' }}
          c="inherit"
          underline="always"
        >
          Create an operations webhook
        </AnchorLink>
      ) : (
        'An admin can create an operations webhook'
      )}
      : it is told, by request or mail, when a webhook fails, is deactivated or works again.
    </Alert>
  );
}
