import { Button } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type CurrentApp, useApp } from '../../api/app.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Filters, TextFilter } from '../../parts/filters.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Naming } from '../../parts/naming.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useDialog } from '../../parts/use-dialog.tsx';
import { When } from '../../parts/when.tsx';
import type { Account } from '@agent-herald/client';

/** The accounts of the application. */
export function AccountList() {
  const current = useApp();
  const { app, calls, key, mayChange } = current;
  const navigate = useNavigate();
  const creating = useDialog();
  const { name } = useSearch({ from: '/signed-in/apps/$appUid/accounts' });
  const filters = name === undefined ? {} : { namePrefix: name };
  const list = useList({
    key: [...key, 'accounts', 'list', filters],
    list: (paging, options) => calls.accounts.list({ ...filters, ...paging }, options),
  });
  const create = mayChange && <Button onClick={() => creating.open(true)}>Create account</Button>;
  const goTo = ({ uid: accountUid }: Account): void =>
    void navigate({
      to: '/apps/$appUid/accounts/$accountUid',
      params: { appUid: app.uid, accountUid },
    });
  return (
    <Page
      title="Accounts"
      about="Groups of users. An agent can be limited to some accounts."
      actions={create}
    >
      <Filters>
        <TextFilter name="name" label="Name" placeholder="beginning" />
      </Filters>
      <List
        of={list}
        hasFilters
        empty={
          name === undefined ? (
            <Empty title="No accounts yet" action={create}>
              Create an account to limit an agent to some of your users.
            </Empty>
          ) : (
            <Empty title="No account found">Names must match from their beginning.</Empty>
          )
        }
      >
        {(rows) => (
          <DataTable
            label="Accounts"
            columns={columnsFor(current)}
            rows={rows}
            keyOf={({ uid }) => uid}
            onOpen={goTo}
          />
        )}
      </List>
      {creating.of((_, dialog) => (
        <Naming
          {...dialog}
          title="Create an account"
          verb="Create"
          change={(name) => calls.accounts.create({ name })}
          changes={[[...key, 'accounts', 'list']]}
          onDone={goTo}
        />
      ))}
    </Page>
  );
}

function columnsFor({ app }: CurrentApp): Column<Account>[] {
  return [
    {
      label: 'Account',
      cell: ({ uid, name }) => (
        <AnchorLink
          to="/apps/$appUid/accounts/$accountUid"
          params={{ appUid: app.uid, accountUid: uid }}
          fw={600}
        >
          <Line text={name} />
        </AnchorLink>
      ),
    },
    { label: 'ID', cell: ({ uid }) => <Uid value={uid} /> },
    { label: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
  ];
}
