import type { Member } from '@agent-herald/client';
import { Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { appsQuery, useApp } from '../../api/app.tsx';
import { fieldErrors } from '../../api/queries.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useChange } from '../../parts/use-change.tsx';
import type { DialogState } from '../../parts/use-dialog.tsx';
import { type Role, roles, roleTexts } from './roles.ts';

type MemberProps = DialogState & { member: Member };

function RoleChoice({ role, onChange }: { role: Role; onChange: (role: Role) => void }) {
  return (
    <Radio.Group label="Role" value={role} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {roles.map((each) => (
          <Radio key={each} value={each} label={each} description={roleTexts[each]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** The form to add a member with a role. */
export function AddMember(dialog: DialogState) {
  const { calls, key } = useApp();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const adding = useChange({
    change: () => calls.members.add({ email: email.trim(), role }),
    changes: [[...key, 'members']],
    done: `${email.trim()} is now a member.`,
    onDone: dialog.onClose,
  });
  return (
    <FormDialog
      {...dialog}
      title="Add a member"
      verb="Add member"
      isReady={email.trim() !== ''}
      change={adding}
      fields={['email']}
    >
      <TextInput
        label="Email"
        description="The person must already be an admin of this installation. An operator creates admins: npm run admin -- create."
        type="email"
        required
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={fieldErrors(adding.error)['email']}
        data-autofocus
        autoComplete="off"
      />
      <RoleChoice role={role} onChange={setRole} />
    </FormDialog>
  );
}

/** The form to change a role. It takes effect with the member's next call. */
export function ChangeRole({ member, ...dialog }: MemberProps) {
  const { calls, key } = useApp();
  const [role, setRole] = useState<Role>(member.role);
  const changing = useChange({
    change: () => calls.members.change(member.adminUid, { role }),
    changes: [[...key, 'members'], appsQuery.queryKey],
    done: ({ email }) => `${email ?? 'The member'} now has the role ${role}.`,
    onDone: dialog.onClose,
  });
  return (
    <FormDialog
      {...dialog}
      title={`Change the role of ${member.email ?? member.adminUid}`}
      verb="Change role"
      isReady={role !== member.role}
      change={changing}
    >
      <RoleChoice role={role} onChange={setRole} />
    </FormDialog>
  );
}

/** Asks before removing an admin from the application. */
export function RemoveMember({ member, ...dialog }: MemberProps) {
  const { calls, key } = useApp();
  const removing = useChange({
    change: () => calls.members.remove(member.adminUid),
    changes: [[...key, 'members'], appsQuery.queryKey],
    done: `${member.email ?? 'The member'} is no longer a member.`,
    onDone: dialog.onClose,
  });
  return (
    <Confirm {...dialog} title="Remove the member" verb="Remove" change={removing}>
      <Line text={member.email ?? member.adminUid} /> loses access to this application immediately.
      API keys that this member generated keep working. Revoke the keys that the member knows.
    </Confirm>
  );
}
