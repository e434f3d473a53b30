import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Fault } from './fault.tsx';

interface ConfirmProps {
  title: string;
  /** What it does, and what cannot be undone. */
  children: ReactNode;
  /** The name of the button: the verb of what is done. */
  verb: string;
  /** Typed before the button works, where it cannot be undone. */
  word?: string;
  opened: boolean;
  onClose: () => void;
  change: { mutate: () => void; isPending: boolean; error: unknown };
}

/** Asks before something is done that is hard to undo. */
export function Confirm({ title, children, verb, word, opened, onClose, change }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const close = (): void => {
    setTyped('');
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <Stack>
          <Text component="div" size="sm">
            {children}
          </Text>
          {word !== undefined && (
            <TextInput
              label={`Type ${word} to confirm`}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          {change.error !== null && <Fault error={change.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              type="submit"
              color="red"
              loading={change.isPending}
              disabled={word !== undefined && typed.trim() !== word}
            >
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
