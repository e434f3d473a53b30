import { Alert, Button, Checkbox, Modal, Stack } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Copyable } from './copyable.tsx';

interface ShownOnceProps {
  title: string;
  /** What the secret is for, and where to keep it. */
  about: string;
  secret: string | null;
  /** What to do with it first. */
  children?: ReactNode;
  onSaved: () => void;
}

/** A secret that the service never shows again. It stays on the page until the viewer confirms it is saved. */
export function ShownOnce({ title, about, secret, children, onSaved }: ShownOnceProps) {
  const [isSaved, setSaved] = useState(false);
  useBlocker({ shouldBlockFn: () => true, disabled: secret === null });
  return (
    <Modal
      opened={secret !== null}
      onClose={() => undefined}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      size="lg"
    >
      <Stack>
        <Alert color="yellow" variant="light">
          {about} It is shown only once.
        </Alert>
        <Copyable text={secret ?? ''} />
        {children}
        <Checkbox
          label="I have saved it"
          checked={isSaved}
          onChange={(event) => setSaved(event.currentTarget.checked)}
        />
        <Button
          disabled={!isSaved}
          onClick={() => {
            setSaved(false);
            onSaved();
          }}
        >
          Done
        </Button>
      </Stack>
    </Modal>
  );
}
