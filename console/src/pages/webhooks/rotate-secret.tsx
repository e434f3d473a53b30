import type { Webhook } from '@agent-herald/client';
import { Button, PasswordInput, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { fieldErrors } from '../../api/queries.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useChange } from '../../parts/use-change.tsx';
import { ownSecret } from './secret-about.ts';

interface RotateSecretProps {
  webhook: Webhook;
  /** A rotation has neither ended nor been promoted, so only one that ends the old secrets is possible. */
  isRotating: boolean;
  /** Called with the new secret, which is shown only now. */
  onRotated: (secret: string) => void;
}

const overlaps = [
  { value: '3600', label: 'Both secrets sign for 1 hour' },
  { value: '86400', label: 'Both secrets sign for 1 day' },
  { value: '604800', label: 'Both secrets sign for 7 days' },
];
const withoutOverlap = {
  value: '0',
  label: 'The old secret stops now',
  description:
    'For a leaked secret. Your receiver rejects requests until it has the new one; they are retried.',
};

/** Generates a new secret. */
export function RotateSecret({ webhook, isRotating, onRotated }: RotateSecretProps) {
  const { calls, key } = useApp();
  const [isOpen, setOpen] = useState(false);
  const [overlap, setOverlap] = useState('86400');
  const [given, setGiven] = useState('');
  const chosen = isRotating ? withoutOverlap.value : overlap;
  const rotate = useChange({
    change: () =>
      calls.webhooks.rotateSecret(webhook.uid, {
        overlapSeconds: Number(chosen),
        ...(given.trim() === '' ? {} : { secret: given.trim() }),
      }),
    changes: [[...key, 'webhooks']],
    onDone: (rotated) => {
      close();
      onRotated(rotated.secret);
    },
  });
  // Forgets the secret.
  const close = (): void => {
    setOpen(false);
    setGiven('');
    rotate.reset();
  };
  return (
    <>
      <Button variant={isRotating ? 'default' : 'filled'} onClick={() => setOpen(true)}>
        {isRotating ? 'Rotate again now' : 'Rotate the secret'}
      </Button>
      <FormDialog
        title="Rotate the secret"
        verb="Rotate"
        {...(chosen === withoutOverlap.value ? {} : { color: 'indigo' })}
        opened={isOpen}
        onClose={close}
        change={rotate}
        fields={['secret']}
      >
        {isRotating ? (
          <Text size="sm">
            A rotation is in progress. A new secret ends all earlier ones immediately. Your receiver
            rejects requests until it has the new one; they are retried.
          </Text>
        ) : (
          <Radio.Group label="The old secret" value={overlap} onChange={setOverlap}>
            <Stack gap="xs" mt={6}>
              {[...overlaps, withoutOverlap].map((choice) => (
                <Radio key={choice.value} {...choice} />
              ))}
            </Stack>
          </Radio.Group>
        )}
        <PasswordInput
          label="New secret"
          description={ownSecret}
          autoComplete="off"
          value={given}
          onChange={(event) => setGiven(event.currentTarget.value)}
          error={fieldErrors(rotate.error)['secret']}
        />
      </FormDialog>
    </>
  );
}
