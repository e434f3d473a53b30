import type { App } from '@agent-herald/client';
import { Code, List, Text } from '@mantine/core';
import { admin } from '../../api/client.ts';
import { appsQuery } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { useChange } from '../../parts/use-change.tsx';
import type { DialogState } from '../../parts/use-dialog.tsx';

/** Asks before disabling or enabling an application. */
export function SwitchApp({ app, ...dialog }: DialogState & { app: App }) {
  const change = useChange({
    change: () => admin.apps.change(app.uid, { active: !app.active }),
    changes: [appsQuery.queryKey],
    done: ({ name, active }) => `${name} is ${active ? 'enabled' : 'disabled'}.`,
    onDone: dialog.onClose,
  });
  if (!app.active) {
    return (
      <FormDialog {...dialog} title={`Enable ${app.name}`} verb="Enable" change={change}>
        <Text size="sm">
          Its API keys work again immediately. User tokens issued before stay revoked: users must
          sign in again.
        </Text>
      </FormDialog>
    );
  }
  return (
    <Confirm
      {...dialog}
      title={`Disable ${app.name}`}
      verb="Disable"
      word={app.name}
      change={change}
    >
      Until an owner enables it again:
      <List size="sm" my="xs" spacing={4}>
        <List.Item>
          Every call with one of its API keys fails with <Code>403 app_disabled</Code>. Users cannot
          sign in, and no token is accepted.
        </List.Item>
        <List.Item>
          User tokens issued so far stay revoked, even after you enable it. A service that checks
          tokens offline accepts them until they expire, unless it receives the event of the
          revocation.
        </List.Item>
        <List.Item>
          <b>Deliveries continue</b>: accepted events are sent and retried as usual. To stop them,{' '}
          <PauseLink appUid={app.uid} /> first.
        </List.Item>
        <List.Item>The console keeps working, with keys, members and the audit log.</List.Item>
      </List>
    </Confirm>
  );
}

function PauseLink({ appUid }: { appUid: string }) {
  return (
    <AnchorLink to="/apps/$appUid/webhooks" params={{ appUid }} inherit underline="always">
      pause its webhooks
    </AnchorLink>
  );
}
