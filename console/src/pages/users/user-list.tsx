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

/** The users of the application, searchable by their identity. */
export function UserList() {
  const { mayChange } = useApp();
  const { externalId, email, name } = useSearch({ from: '/signed-in/apps/$appUid/users' });
  const revoking = useDialog();
  return (
    <Page
      title="Users"
      about="People who use your embedded agents. The first sign-in creates a user."
      actions={
        mayChange && (
          <Button variant="default" onClick={() => revoking.open(true)}>
            Revoke all tokens
          </Button>
        )
      }
    >
      <Filters>
        <TextFilter name="externalId" label="External ID" placeholder="exact ID" />
        <TextFilter name="email" label="Email" placeholder="full address" />
        <TextFilter name="name" label="Name" placeholder="beginning" />
      </Filters>
      {name !== undefined && (externalId !== undefined || email !== undefined) ? (
        <Empty title="Search by the name or by the identity">
          Clear the name, or the external ID and the email.
        </Empty>
      ) : email !== undefined && !isWholeAddress(email) ? (
        <Empty title="Enter the full address">
          Only a hash of each address is stored, so part of an address cannot be found.
        </Empty>
      ) : (
        <FoundUsers
          {...(externalId === undefined ? {} : { externalId })}
          {...(email === undefined ? {} : { email })}
          {...(name === undefined ? {} : { namePrefix: name })}
        />
      )}
      {revoking.of((_, dialog) => (
        <RevokeAllTokens {...dialog} />
      ))}
    </Page>
  );
}

function FoundUsers(filters: { externalId?: string; email?: string; namePrefix?: string }) {
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
  <Empty title="No users yet">
    Your back end signs in users with an API key that has the scope users:auth. New users appear
    here.
  </Empty>
);

const nobodyFound = (
  <Empty title="No user found">
    IDs and addresses must match exactly, and names from their beginning. Deleted users cannot be
    found.
  </Empty>
);
