import type { ApiKey, CreatedApiKey } from '@agent-herald/client';
import { Select, Text } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useChange } from '../../parts/use-change.tsx';
import type { DialogState } from '../../parts/use-dialog.tsx';

const overlaps = [
  { value: '0', label: 'none (the old key stops now)' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

interface RollKeyProps extends DialogState {
  apiKey: ApiKey;
  onKey: (key: CreatedApiKey) => void;
}

/** Asks how long the old key keeps working. */
export function RollKey({ apiKey, onKey, ...dialog }: RollKeyProps) {
  const { calls, key } = useApp();
  const [overlap, setOverlap] = useState('86400');
  const rolling = useChange({
    change: () => calls.apiKeys.roll(apiKey.uid, { overlapSeconds: Number(overlap) }),
    changes: [[...key, 'keys']],
    onDone: (made) => {
      dialog.onClose();
      onKey(made);
      // The response, which has the secret, is not kept.
      rolling.reset();
    },
  });
  return (
    <FormDialog {...dialog} title="Roll the key" verb="Roll" change={rolling}>
      <Text size="sm" component="div">
        A new key replaces <Line text={apiKey.name} />, with the same name, scopes and lifetime.
        Switch every caller to the new key before the overlap ends.
      </Text>
      <Select
        label="Both keys work for"
        data={overlaps}
        value={overlap}
        onChange={(value) => setOverlap(value ?? '86400')}
        allowDeselect={false}
      />
    </FormDialog>
  );
}
