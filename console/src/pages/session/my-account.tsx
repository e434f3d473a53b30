import { Button, Card, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { admin } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Uid } from '../../parts/uid.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { type DialogState, useDialog } from '../../parts/use-dialog.tsx';
import { When } from '../../parts/when.tsx';
import { useLeave } from '../../shell/leave.ts';
import { ChangePassword } from './change-password.tsx';
import { SessionList } from './session-list.tsx';

/** The signed-in admin and the sessions. */
export function MyAccount() {
  const session = useQuery(sessionQuery);
  const leaving = useDialog();
  return (
    <Page
      title="Your account"
      actions={
        <Button variant="default" onClick={() => leaving.open(true)}>
          Sign out everywhere
        </Button>
      }
    >
      <Loaded query={session}>
        {({ admin: me }) => (
          <>
            <Card withBorder>
              <Facts
                of={[
                  ['Email', me.email],
                  ['ID', <Uid key="uid" value={me.uid} />],
                  [
                    'Permissions',
                    me.superuser
                      ? 'superuser: owner of every application'
                      : 'by your role in each application',
                  ],
                  ['Created', <When key="created" at={me.createdAt} />],
                ]}
              />
            </Card>
            <Stack gap="xs">
              <Title order={2} size="h4">
                Password
              </Title>
              <ChangePassword me={me} />
            </Stack>
            <Stack gap="xs">
              <Title order={2} size="h4">
                Where you are signed in
              </Title>
              <SessionList />
            </Stack>
          </>
        )}
      </Loaded>
      {leaving.of((_, dialog) => (
        <SignOutEverywhere {...dialog} />
      ))}
    </Page>
  );
}

function SignOutEverywhere(dialog: DialogState) {
  const leave = useLeave();
  const signingOut = useChange({
    change: () => admin.session.signOutEverywhere(),
    changes: [],
    onDone: leave,
  });
  return (
    <Confirm {...dialog} title="Sign out everywhere" verb="Sign out everywhere" change={signingOut}>
      All your sessions end now, including this one. Browsers that you used before are no longer
      recognised: after failed sign-ins by others, you may have to wait there.
    </Confirm>
  );
}
