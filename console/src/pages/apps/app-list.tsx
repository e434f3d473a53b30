import type { App } from '@agent-herald/client';
import { Button, Menu, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { admin } from '../../api/client.ts';
import { appsQuery } from '../../api/app.tsx';
import { sessionQuery } from '../../api/session.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { AnchorLink, ButtonLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Naming } from '../../parts/naming.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { Tag } from '../../parts/state-badge.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useDialog } from '../../parts/use-dialog.tsx';
import { When } from '../../parts/when.tsx';
import { FailingWebhooks } from './failing-webhooks.tsx';
import { SwitchApp } from './switch-app.tsx';

/** The applications in which the viewer has a role. */
export function AppList() {
  const { data: session } = useQuery(sessionQuery);
  const apps = useQuery(appsQuery);
  const navigate = useNavigate();
  const creating = useDialog();
  const isSuperuser = session?.admin.superuser === true;
  const create = isSuperuser && (
    <Button onClick={() => creating.open(true)}>Create application</Button>
  );
  return (
    <Page
      title="Applications"
      about="Each application has its own keys, users, webhooks and members."
      actions={
        <>
          {isSuperuser && (
            <ButtonLink variant="default" to="/audit-log">
              Audit log of all applications
            </ButtonLink>
          )}
          {create}
        </>
      }
    >
      <Loaded query={apps}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No applications yet" action={create}>
              You see an application once you are a member of it. Ask an owner to add you, or a
              superuser to create one.
            </Empty>
          ) : (
            <AppTable rows={rows} />
          )
        }
      </Loaded>
      {isSuperuser && <FailingWebhooks apps={apps.data ?? []} />}
      {creating.of((_, dialog) => (
        <Naming
          {...dialog}
          title="Create an application"
          description="Shown to members in this console."
          verb="Create"
          change={(name) => admin.apps.create({ name })}
          changes={[appsQuery.queryKey]}
          onDone={({ uid: appUid }) =>
            void navigate({ to: '/apps/$appUid/keys', params: { appUid } })
          }
        />
      ))}
    </Page>
  );
}

function AppTable({ rows }: { rows: readonly App[] }) {
  const navigate = useNavigate();
  const renaming = useDialog<App>();
  const switching = useDialog<App>();
  const actions = (app: App) =>
    app.role === 'owner' && (
      <RowMenu of={app.name}>
        <Menu.Item onClick={() => renaming.open(app)}>Rename</Menu.Item>
        <Menu.Item {...(app.active ? { color: 'red' } : {})} onClick={() => switching.open(app)}>
          {app.active ? 'Disable' : 'Enable'}
        </Menu.Item>
      </RowMenu>
    );
  return (
    <>
      <DataTable
        label="Applications"
        columns={[...facts, { label: '', cell: actions }]}
        rows={rows}
        keyOf={({ uid }) => uid}
        onOpen={({ uid: appUid }) => void navigate({ to: '/apps/$appUid', params: { appUid } })}
      />
      {renaming.of((app, dialog) => (
        <Naming
          {...dialog}
          title="Rename the application"
          verb="Rename"
          name={app.name}
          change={(name) => admin.apps.change(app.uid, { name })}
          changes={[appsQuery.queryKey]}
        />
      ))}
      {switching.of((app, dialog) => (
        <SwitchApp {...dialog} app={app} />
      ))}
    </>
  );
}

const facts: readonly Column<App>[] = [
  {
    label: 'Application',
    cell: ({ uid, name }) => (
      <Stack gap={0} align="flex-start">
        <AnchorLink to="/apps/$appUid" params={{ appUid: uid }} fw={600}>
          <Line text={name} />
        </AnchorLink>
        <Uid value={uid} />
      </Stack>
    ),
  },
  {
    label: 'State',
    cell: ({ active }) => (
      <Tag color={active ? 'teal' : 'red'}>{active ? 'active' : 'disabled'}</Tag>
    ),
  },
  { label: 'Your role', cell: ({ role }) => role },
  { label: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
];
