import type { Account } from '@agent-herald/client';
import { Button, Card } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Facts } from '../../parts/facts.tsx';
import { ButtonLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Naming } from '../../parts/naming.tsx';
import { Page } from '../../parts/page.tsx';
import { Uid } from '../../parts/uid.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { type DialogState, useDialog } from '../../parts/use-dialog.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { When } from '../../parts/when.tsx';
import { AccountMembers } from './account-members.tsx';

/** An account and its users. */
export function AccountPage() {
  const { calls, key } = useApp();
  const { accountUid } = useParams({ from: '/signed-in/apps/$appUid/accounts/$accountUid' });
  const account = useQuery({
    queryKey: [...key, 'accounts', accountUid],
    queryFn: ({ signal }) => calls.accounts.get(accountUid, { signal }),
  });
  return <Loaded query={account}>{(found) => <ShownAccount account={found} />}</Loaded>;
}

function ShownAccount({ account }: { account: Account }) {
  const { app, calls, key, mayChange } = useApp();
  const renaming = useDialog();
  const deleting = useDialog();
  const actions = (
    <>
      <ButtonLink
        variant="default"
        to="/apps/$appUid/audit-log"
        params={{ appUid: app.uid }}
        search={{ targetUid: account.uid }}
      >
        History
      </ButtonLink>
      {mayChange && (
        <>
          <Button variant="default" onClick={() => renaming.open(true)}>
            Rename
          </Button>
          <Button color="red" variant="outline" onClick={() => deleting.open(true)}>
            Delete account
          </Button>
        </>
      )}
    </>
  );
  return (
    <Page title={visibleText(account.name)} about="Account" actions={actions}>
      <Card withBorder>
        <Facts
          of={[
            ['ID', <Uid key="uid" value={account.uid} />],
            ['Created', <When key="created" at={account.createdAt} />],
            ['Updated', <When key="changed" at={account.updatedAt} />],
          ]}
        />
      </Card>
      <AccountMembers account={account} />
      {renaming.of((_, dialog) => (
        <Naming
          {...dialog}
          title="Rename the account"
          verb="Rename"
          name={account.name}
          change={(name) => calls.accounts.change(account.uid, { name })}
          changes={[[...key, 'accounts']]}
        />
      ))}
      {deleting.of((_, dialog) => (
        <DeleteAccount {...dialog} account={account} />
      ))}
    </Page>
  );
}

function DeleteAccount({ account, ...dialog }: DialogState & { account: Account }) {
  const { app, calls, key } = useApp();
  const navigate = useNavigate();
  const deleting = useChange({
    change: () => calls.accounts.delete(account.uid),
    changes: [
      [...key, 'accounts', 'list'],
      [...key, 'users'],
    ],
    done: 'Account deleted.',
    onDone: () => {
      dialog.onClose();
      void navigate({ to: '/apps/$appUid/accounts', params: { appUid: app.uid } });
    },
  });
  return (
    <Confirm
      {...dialog}
      title="Delete the account"
      verb="Delete account"
      word={account.name}
      change={deleting}
    >
      The account is removed from its users and agents.{' '}
      <b>An agent that names no other account can then be used by nobody</b> until you change it.
      Users keep their tokens until they expire, but can no longer reach anything through this
      account. This cannot be undone.
    </Confirm>
  );
}
