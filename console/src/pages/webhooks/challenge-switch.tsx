import { Switch } from '@mantine/core';
import { appsQuery, useApp } from '../../api/app.tsx';
import { admin } from '../../api/client.ts';
import { Fault } from '../../parts/fault.tsx';
import { useChange } from '../../parts/use-change.tsx';

/** The application's proof of control, which owners turn on. */
export function ChallengeSwitch() {
  const { app, mayOwn } = useApp();
  const change = useChange({
    change: (webhookChallenge: boolean) => admin.apps.change(app.uid, { webhookChallenge }),
    changes: [appsQuery.queryKey],
    done: ({ webhookChallenge }) =>
      webhookChallenge ? 'Receivers must now prove control.' : 'Receivers need no proof now.',
  });
  return (
    <>
      <Switch
        label="Receivers prove control"
        description="A receiver must answer a challenge before its webhook is created active, is resumed, or gets another URL. Only an owner can change this."
        checked={change.isPending ? change.variables : app.webhookChallenge}
        disabled={!mayOwn || change.isPending}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
      />
      {change.error !== null && <Fault error={change.error} />}
    </>
  );
}
