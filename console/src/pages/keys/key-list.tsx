import type { ApiKey, CreatedApiKey } from '@agent-herald/client';
import { Button, Menu } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type CurrentApp, useApp } from '../../api/app.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../../parts/filters.tsx';
import { MenuLink } from '../../parts/links.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { withoutSecrets } from '../../parts/pasted-text.ts';
import { RowMenu } from '../../parts/row-menu.tsx';
import { useDialog } from '../../parts/use-dialog.tsx';
import { AllowedOrigins } from './allowed-origins.tsx';
import { DeleteKey, mayRevokeTokens, RevokeKey, RevokeTokensOfKey } from './end-key.tsx';
import { GenerateKey } from './generate-key.tsx';
import { keyColumns } from './key-columns.tsx';
import { keyStates, stateOfKey } from './key-state.ts';
import { NewKey } from './new-key.tsx';
import { RollKey } from './roll-key.tsx';

const refreshMs = 30_000;

/** CONFIGURE → API Management: the keys of the application, and the origins that may use its tokens. */
export function KeyList() {
  const current = useApp();
  const { calls, key, mayChange } = current;
  const { state, keyId } = useSearch({ from: '/signed-in/apps/$appUid/keys' });
  const keyIdPrefix = keyId?.replace(/^ahk_/, '') ?? '';
  const filters = keyIdPrefix === '' ? {} : { keyIdPrefix };
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  const generating = useDialog();
  const list = useList({
    key: [...key, 'keys', filters],
    list: (paging, options) => calls.apiKeys.list({ ...filters, ...paging }, options),
    refreshMs,
  });
  const generate = mayChange && (
    <Button onClick={() => generating.open(true)}>Generate API key</Button>
  );
  return (
    <Page
      title="API Management"
      about="API keys that your back ends use to call the service."
      actions={generate}
    >
      <Filters>
        <ChoiceFilter name="state" label="State" choices={keyStates} />
        <TextFilter name="keyId" label="Key ID" placeholder="ahk_…" read={withoutSecrets} />
      </Filters>
      <List
        of={list}
        hasFilters
        empty={
          keyId === undefined ? (
            <Empty title="No API keys yet" action={generate}>
              Generate one key for each system that calls this application, so that you can revoke
              each one separately.
            </Empty>
          ) : (
            <Empty title="No key has this ID">
              Logs show the ID, the 12 characters after ahk_. Capitals count.
            </Empty>
          )
        }
      >
        {(all) => <KeyTable {...{ current, all, state }} onKey={setMade} />}
      </List>
      <AllowedOrigins />
      {generating.of((_, dialog) => (
        <GenerateKey {...dialog} onKey={setMade} />
      ))}
      <NewKey made={made} onSaved={() => setMade(null)} />
    </Page>
  );
}

function inState(rows: readonly ApiKey[], state: string | undefined): readonly ApiKey[] {
  const now = new Date();
  return rows.filter((each) => state === undefined || stateOfKey(each, now).name === state);
}

interface KeyTableProps {
  current: CurrentApp;
  all: readonly ApiKey[];
  state: string | undefined;
  onKey: (made: CreatedApiKey) => void;
}

function KeyTable({ current, all, state, onKey }: KeyTableProps) {
  const rows = inState(all, state);
  const rolling = useDialog<ApiKey>();
  const revoking = useDialog<ApiKey>();
  const revokingTokens = useDialog<ApiKey>();
  const deleting = useDialog<ApiKey>();
  if (rows.length === 0)
    return <Empty title="No keys in this state">Clear the filter to see all keys.</Empty>;
  const actions = (apiKey: ApiKey) => (
    <RowMenu of={apiKey.name}>
      <MenuLink
        to="/apps/$appUid/audit-log"
        params={{ appUid: current.app.uid }}
        search={{ actorUid: apiKey.uid }}
      >
        View activity
      </MenuLink>
      {current.mayChange && apiKey.state === 'active' && (
        <>
          {apiKey.rolledTo === null && (
            <Menu.Item onClick={() => rolling.open(apiKey)}>Roll</Menu.Item>
          )}
          <Menu.Item color="red" onClick={() => revoking.open(apiKey)}>
            Revoke
          </Menu.Item>
        </>
      )}
      {current.mayChange && apiKey.state !== 'active' && (
        <>
          {mayRevokeTokens(apiKey) && (
            <Menu.Item color="red" onClick={() => revokingTokens.open(apiKey)}>
              Revoke its tokens
            </Menu.Item>
          )}
          <Menu.Item onClick={() => deleting.open(apiKey)}>Delete from the list</Menu.Item>
        </>
      )}
    </RowMenu>
  );
  return (
    <>
      <DataTable
        label="API keys"
        columns={[...keyColumns(all), { label: '', cell: actions }]}
        rows={rows}
        keyOf={({ uid }) => uid}
      />
      {rolling.of((apiKey, dialog) => (
        <RollKey {...dialog} apiKey={apiKey} onKey={onKey} />
      ))}
      {revoking.of((apiKey, dialog) => (
        <RevokeKey {...dialog} apiKey={apiKey} />
      ))}
      {revokingTokens.of((apiKey, dialog) => (
        <RevokeTokensOfKey {...dialog} apiKey={apiKey} />
      ))}
      {deleting.of((apiKey, dialog) => (
        <DeleteKey {...dialog} apiKey={apiKey} />
      ))}
    </>
  );
}
