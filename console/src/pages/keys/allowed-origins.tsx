import { Button, Group, TagsInput, Text } from '@mantine/core';
import { useState } from 'react';
import { type App, appsQuery, useApp } from '../../api/app.tsx';
import { admin } from '../../api/client.ts';
import { fieldErrors } from '../../api/queries.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Section } from '../../parts/section.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { type DialogState, useDialog } from '../../parts/use-dialog.tsx';

/** The origins of pages that may use the tokens of users. Owners change them. */
export function AllowedOrigins() {
  const { app, mayOwn } = useApp();
  const changing = useDialog();
  return (
    <Section title="Origins">
      <Text size="sm" c="dimmed">
        Web origins whose pages may use tokens of this application.
      </Text>
      <Text style={{ overflowWrap: 'anywhere' }}>{app.origins?.join(', ') ?? 'Any origin'}</Text>
      {mayOwn && (
        <Group>
          <Button variant="default" onClick={() => changing.open(true)}>
            Change origins
          </Button>
        </Group>
      )}
      {changing.of((_, dialog) => (
        <ChangeOrigins {...dialog} app={app} />
      ))}
    </Section>
  );
}

function ChangeOrigins({ app, ...dialog }: DialogState & { app: App }) {
  const [origins, setOrigins] = useState(app.origins ?? []);
  const change = useChange({
    change: () => admin.apps.change(app.uid, { origins: origins.length === 0 ? null : origins }),
    changes: [appsQuery.queryKey],
    onDone: dialog.onClose,
  });
  return (
    <FormDialog
      {...dialog}
      title="Change the origins"
      verb="Save"
      change={change}
      fields={['origins']}
    >
      <TagsInput
        label="Origins"
        description="For example https://app.example.com. Press Enter after each. Empty: any origin."
        value={origins}
        onChange={setOrigins}
        error={fieldErrors(change.error)['origins']}
        clearable
        clearButtonProps={{ 'aria-label': 'Any origin' }}
        data-autofocus
      />
      <Text size="sm">
        The change applies to new tokens. Tokens issued before keep their origins until they expire.
        To end them now, revoke the tokens of all users.
      </Text>
    </FormDialog>
  );
}
