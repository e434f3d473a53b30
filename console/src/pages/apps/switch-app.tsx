import type { App } from '@agent-herald/client';
import { Code, List, Text } from '@mantine/core';
import { admin } from '../../api/client.ts';
import { appsQuery } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { useChange } from '../../parts/use-change.tsx';
import type { DialogState } from '../../parts/use-dialog.tsx';

/** Asks before an application is closed to its keys, or opened again. */
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
          Its API keys work again immediately. Tokens of users that were issued before stay dead:
          users sign in again.
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
      From now on, until an owner enables it:
      <List size="sm" my="xs" spacing={4}>
        <List.Item>
          Every call with one of its API keys gets <Code>403 app_disabled</Code>. Nobody signs in,
          and no token is verified.
        </List.Item>
        <List.Item>
          Tokens of users never work again, also after it is enabled. A service that checks tokens
          offline does not notice before they end.
        </List.Item>
        <List.Item>
          <b>Deliveries go on</b>: events that were accepted are sent and retried as usual. To stop
          them, <PauseLink appUid={app.uid} /> first.
        </List.Item>
        <List.Item>The console goes on: keys, members and the audit log.</List.Item>
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
