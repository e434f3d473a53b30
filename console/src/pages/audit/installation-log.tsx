import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { admin } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { TextFilter } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { installationActions } from './actions.ts';
import { AuditPage } from './audit-page.tsx';

const title = 'Audit log of all applications';

/** The audit log outside of applications: sign-ins, passwords, admins, signing keys. */
export function InstallationLog() {
  const { data: session } = useQuery(sessionQuery);
  const filters = useSearch({ from: '/signed-in/audit-log' });
  if (session?.admin.superuser !== true)
    return <Page title={title}>Only superusers can see this page.</Page>;
  const { uid, email } = session.admin;
  return (
    <AuditPage
      title={title}
      about="Sign-ins, passwords, new admins and signing keys, newest first. Each application has its own audit log."
      calls={admin.auditLog}
      queryKey={['audit-log']}
      filters={filters}
      actions={installationActions}
      actorFilter={<TextFilter name="actorUid" label="Actor" placeholder="an ID" />}
      names={new Map([[uid, email]])}
      appUid={null}
    />
  );
}
