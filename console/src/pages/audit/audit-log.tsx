import { useSearch } from '@tanstack/react-router';
import { useApp } from '../../api/app.tsx';
import { ChoiceFilter } from '../../parts/filters.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { actions } from './actions.ts';
import { AuditPage } from './audit-page.tsx';
import type { Names } from './audit-rows.ts';
import { useNames } from './use-names.ts';

/** Who did what in the application. */
export function AuditLog() {
  const { app, calls, key } = useApp();
  const filters = useSearch({ from: '/signed-in/apps/$appUid/audit-log' });
  const names = useNames();
  return (
    <AuditPage
      title="Audit log"
      about="Who did what in this application, newest first. Entries cannot be changed or removed."
      calls={calls.auditLog}
      queryKey={[...key, 'audit-log']}
      filters={filters}
      actions={actions}
      actorFilter={<ActorFilter names={names} actorUid={filters.actorUid} />}
      names={names}
      appUid={app.uid}
    />
  );
}

function ActorFilter({ names, actorUid }: { names: Names; actorUid: string | undefined }) {
  const actors = [...names].filter(([uid]) => /^(?:adm|key)_/.test(uid));
  // A deleted key, or a superuser who is not a member.
  if (actorUid !== undefined && !names.has(actorUid)) actors.push([actorUid, actorUid]);
  const choices = actors.map(([value, name]) => ({ value, label: visibleText(name) }));
  return <ChoiceFilter name="actorUid" label="Actor" choices={choices} />;
}
