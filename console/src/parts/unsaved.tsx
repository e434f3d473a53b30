import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';

interface UnsavedProps {
  isUnsaved: boolean;
  /** Called before the page is left without saving. */
  onLeave: () => void;
}

/** Asks before a page with unsaved input is left. */
export function Unsaved({ isUnsaved, onLeave }: UnsavedProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isUnsaved,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  return (
    <Modal
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title="Leave without saving?"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">Your changes on this page will be lost.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => reset?.()} data-autofocus>
            Stay
          </Button>
          <Button
            color="red"
            onClick={() => {
              onLeave();
              proceed?.();
            }}
          >
            Leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Says that unsaved input is back. */
export function Restored({ except, onDiscard }: { except?: string; onDiscard: () => void }) {
  return (
    <Alert color="blue" variant="light" title="Your unsaved changes are back" role="status">
      <Group gap="sm">
        <Text size="sm">{except ?? 'Nothing has been saved yet.'}</Text>
        <Button size="xs" variant="default" onClick={onDiscard}>
          Discard them
        </Button>
      </Group>
    </Alert>
  );
}
