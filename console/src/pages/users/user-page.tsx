import type { User } from '@agent-herald/client';
import { Button, Card } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import { Facts } from '../../parts/facts.tsx';
import { ButtonLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Naming } from '../../parts/naming.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Uid } from '../../parts/uid.tsx';
import { useDialog } from '../../parts/use-dialog.tsx';
import { When } from '../../parts/when.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { DeleteUser } from './delete-user.tsx';
import { RevokeTokens } from './revoke-tokens.tsx';
import { UserAccounts } from './user-accounts.tsx';
import { SignsInWith } from './user-columns.tsx';
import { UserTokens } from './user-tokens.tsx';
import { nameOfUser } from './user-name.ts';

/** A user: identity, accounts and tokens. */
export function UserPage() {
  const { calls, key } = useApp();
  const { userUid } = useParams({ from: '/signed-in/apps/$appUid/users/$userUid' });
  const user = useQuery({
    queryKey: [...key, 'users', userUid],
    queryFn: ({ signal }) => calls.users.get(userUid, { signal }),
  });
  return <Loaded query={user}>{(found) => <ShownUser user={found} />}</Loaded>;
}

function ShownUser({ user }: { user: User }) {
  const { app, calls, key, mayChange } = useApp();
  const renaming = useDialog();
  const revoking = useDialog();
  const deleting = useDialog();
  const actions = (
    <>
      <ButtonLink
        variant="default"
        to="/apps/$appUid/audit-log"
        params={{ appUid: app.uid }}
        search={{ targetUid: user.uid }}
      >
        History
      </ButtonLink>
      {mayChange && (
        <>
          <Button variant="default" onClick={() => renaming.open(true)}>
            Rename
          </Button>
          <Button variant="default" onClick={() => revoking.open(true)}>
            Revoke tokens
          </Button>
          <Button color="red" variant="outline" onClick={() => deleting.open(true)}>
            Delete user
          </Button>
        </>
      )}
    </>
  );
  return (
    <Page title={visibleText(nameOfUser(user))} about="User" actions={actions}>
      <Card withBorder>
        <Facts
          of={[
            ['ID', <Uid key="uid" value={user.uid} />],
            ['Name', user.name === null ? 'none' : visibleText(user.name)],
            ['Signs in with', <SignsInWith key="with" user={user} />],
            ['Created', <When key="created" at={user.createdAt} />],
            ['Updated', <When key="changed" at={user.updatedAt} />],
          ]}
        />
      </Card>
      <Section title="Accounts">
        <UserAccounts user={user} />
      </Section>
      <Section title="Tokens">
        <UserTokens user={user} />
      </Section>
      {renaming.of((_, dialog) => (
        <Naming
          {...dialog}
          title="Rename the user"
          verb="Rename"
          name={user.name}
          change={(name) => calls.users.change(user.uid, { name })}
          changes={[[...key, 'users']]}
        />
      ))}
      {revoking.of((_, dialog) => (
        <RevokeTokens {...dialog} user={user} />
      ))}
      {deleting.of((_, dialog) => (
        <DeleteUser {...dialog} user={user} />
      ))}
    </Page>
  );
}
