import { Button } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Filters, TextFilter } from '../../parts/filters.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { useDialog } from '../../parts/use-dialog.tsx';
import { RevokeAllTokens } from './revoke-tokens.tsx';
import { userColumns } from './user-columns.tsx';
import { isWholeAddress } from './whole-address.ts';

/** The users of the application, found by what they sign in with. */
export function UserList() {
  const { mayChange } = useApp();
  const { externalId, email } = useSearch({ from: '/signed-in/apps/$appUid/users' });
  const revoking = useDialog();
  return (
    <Page
      title="Users"
      about="Who signed in to the embedded agents. The first sign-in creates a user."
      actions={
        mayChange && (
          <Button variant="default" onClick={() => revoking.open(true)}>
            Revoke all tokens
          </Button>
        )
      }
    >
      <Filters>
        <TextFilter name="externalId" label="External id" placeholder="the whole id" />
        <TextFilter name="email" label="E-mail" placeholder="the whole address" />
      </Filters>
      {email !== undefined && !isWholeAddress(email) ? (
        <Empty title="Type the whole address">
          Only the hash of an address is kept, so a part of it finds nobody.
        </Empty>
      ) : (
        <FoundUsers
          {...(externalId === undefined ? {} : { externalId })}
          {...(email === undefined ? {} : { email })}
        />
      )}
      {revoking.of((_, dialog) => (
        <RevokeAllTokens {...dialog} />
      ))}
    </Page>
  );
}

function FoundUsers(filters: { externalId?: string; email?: string }) {
  const { app, calls, key } = useApp();
  const navigate = useNavigate();
  const list = useList({
    key: [...key, 'users', 'list', filters],
    list: (paging, options) => calls.users.list({ ...filters, ...paging }, options),
  });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <List of={list} hasFilters empty={isFiltered ? nobodyFound : nobodyYet}>
      {(rows) => (
        <DataTable
          label="Users"
          columns={userColumns(app.uid)}
          rows={rows}
          keyOf={({ uid }) => uid}
          onOpen={({ uid: userUid }) =>
            void navigate({
              to: '/apps/$appUid/users/$userUid',
              params: { appUid: app.uid, userUid },
            })
          }
        />
      )}
    </List>
  );
}

const nobodyYet = (
  <Empty title="Nobody has signed in yet">
    Your back end signs users in with an API key of the scope users:auth. Each new one appears here.
  </Empty>
);

const nobodyFound = (
  <Empty title="There is no such user">
    Ids and addresses are found whole. A deleted user is not found any more.
  </Empty>
);
