import type { Session } from '@agent-herald/client';
import { Button, Card, PasswordInput, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { admin, keepCsrfToken } from '../../api/client.ts';
import { fieldErrors, queries } from '../../api/queries.ts';
import { sessionQuery } from '../../api/session.ts';
import { Fault } from '../../parts/fault.tsx';
import { useChange } from '../../parts/use-change.tsx';

const rules =
  '12 to 128 characters, at least 5 of them different. Not your email address, and not one of the most common passwords.';

/** The form to change the password, for admins who have one. */
export function ChangePassword({ me }: { me: Session['admin'] }) {
  if (!me.hasPassword) {
    return <Text>You have no password here: you sign in through the identity provider.</Text>;
  }
  return <PasswordForm email={me.email} />;
}

function PasswordForm({ email }: { email: string }) {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const changing = useChange({
    change: () => admin.session.changePassword({ currentPassword, newPassword }),
    changes: [['sessions']],
    done: 'Password changed. All your other sessions have ended.',
    onDone: (session) => {
      keepCsrfToken(session.csrfToken);
      queries.setQueryData(sessionQuery.queryKey, session);
      setCurrent('');
      setNew('');
    },
  });
  const faults = fieldErrors(changing.error);
  const isBesideFields = Object.keys(faults).length > 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    changing.mutate();
  };
  return (
    <Card withBorder>
      <form onSubmit={submit}>
        <Stack maw={420}>
          {/* For password managers. */}
          <input hidden readOnly autoComplete="username" value={email} />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            value={currentPassword}
            onChange={(event) => setCurrent(event.currentTarget.value)}
            error={faults['currentPassword']}
          />
          <PasswordInput
            label="New password"
            description={rules}
            autoComplete="new-password"
            required
            value={newPassword}
            onChange={(event) => setNew(event.currentTarget.value)}
            error={faults['newPassword']}
          />
          {changing.error !== null && !isBesideFields && <Fault error={changing.error} />}
          <Text size="sm" c="dimmed">
            Changing the password ends all your other sessions.
          </Text>
          <Button type="submit" loading={changing.isPending} style={{ alignSelf: 'flex-start' }}>
            Change password
          </Button>
        </Stack>
      </form>
    </Card>
  );
}
