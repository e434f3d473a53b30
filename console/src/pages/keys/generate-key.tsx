import type { CreatedApiKey } from '@agent-herald/client';
import { Button, Checkbox, Group, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { fieldErrors } from '../../api/queries.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TimeInput } from '../../parts/time-input.tsx';
import { useChange } from '../../parts/use-change.tsx';
import type { DialogState } from '../../parts/use-dialog.tsx';
import { expiryOf, lifetimeChoices } from './key-state.ts';
import { presets, type Scope, scopes, scopeTexts } from './scopes.ts';

const fields = ['name', 'scopes', 'expiresAt'];

/** The form for a new key: its name, scopes and expiry. */
export function GenerateKey({
  onKey,
  ...dialog
}: DialogState & { onKey: (key: CreatedApiKey) => void }) {
  const { calls, key } = useApp();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const [lifetime, setLifetime] = useState('never');
  const [endsAt, setEndsAt] = useState('');
  const generating = useChange({
    change: () =>
      calls.apiKeys.create({
        name: name.trim(),
        scopes: scopes.filter((scope) => chosen.includes(scope)),
        expiresAt: expiryOf(lifetime, endsAt, new Date()),
      }),
    changes: [[...key, 'keys']],
    onDone: (made) => {
      dialog.onClose();
      onKey(made);
      // The response, which has the secret, is not kept.
      generating.reset();
    },
  });
  const faults = fieldErrors(generating.error);
  const isReady =
    name.trim() !== '' && chosen.length > 0 && (lifetime !== 'at a time' || endsAt !== '');
  return (
    <FormDialog
      {...dialog}
      title="Generate an API key"
      verb="Generate key"
      isReady={isReady}
      change={generating}
      fields={fields}
    >
      <TextInput
        label="Name"
        description="The system that uses the key, so others know what breaks if it is revoked."
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={faults['name']}
        data-autofocus
        autoComplete="off"
      />
      <ScopeChoice chosen={chosen} onChange={setChosen} error={faults['scopes']} />
      <Select
        label="Expires"
        data={lifetimeChoices.map((value) => ({ value, label: labelOf(value) }))}
        value={lifetime}
        onChange={(value) => setLifetime(value ?? 'never')}
        allowDeselect={false}
        error={lifetime === 'at a time' ? undefined : faults['expiresAt']}
      />
      {lifetime === 'at a time' && (
        <TimeInput
          label="Expires at"
          required
          at={endsAt}
          onChange={setEndsAt}
          error={faults['expiresAt']}
        />
      )}
    </FormDialog>
  );
}

function labelOf(choice: string): string {
  if (choice === 'at a time') return 'at a chosen time';
  return choice === 'never' ? choice : `in ${choice}`;
}

interface ScopeChoiceProps {
  chosen: string[];
  onChange: (chosen: string[]) => void;
  error: string | undefined;
}

function ScopeChoice({ chosen, onChange, error }: ScopeChoiceProps) {
  return (
    <Checkbox.Group
      label="Scopes"
      description="No scope includes another. Select only what is needed: scopes cannot be changed later."
      required
      value={chosen}
      onChange={onChange}
      error={error}
    >
      <Stack gap="xs" mt="xs">
        <Group gap="xs" role="group" aria-label="Usual scopes">
          {presets.map(({ label, scopes: fewest }) => (
            <Button
              key={label}
              variant="default"
              size="compact-sm"
              onClick={() => onChange([...fewest])}
            >
              {label}
            </Button>
          ))}
        </Group>
        {scopes.map((scope: Scope) => (
          <Checkbox key={scope} value={scope} label={scope} description={scopeTexts[scope]} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
