import type { Webhook } from '@agent-herald/client';
import { Alert } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useApp } from '../../api/app.tsx';
import { AnchorLink } from '../../parts/links.tsx';

/** Says that nobody is notified of failures, until there is an active operations webhook or somebody closes it. */
export function NobodyTold({ webhooks }: { webhooks: readonly Webhook[] }) {
  const { app, mayChange } = useApp();
  const [isClosed, setClosed] = useLocalStorage({
    key: `herald-nobody-told:${app.uid}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const isTold = webhooks.some(({ kind, active }) => kind === 'operations' && active);
  if (isClosed || isTold || webhooks.length === 0) return null;
  return (
    <Alert
      color="gray"
      variant="light"
      title="Nobody is notified when a webhook fails"
      role="note"
      withCloseButton
      closeButtonLabel="Do not show this again"
      onClose={() => setClosed(true)}
    >
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
      . It is notified, by request or email, when a webhook fails, is deactivated or works again.
    </Alert>
  );
}
