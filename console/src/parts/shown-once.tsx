import { Alert, Button, Checkbox, Code, CopyButton, Group, Modal, Stack } from '@mantine/core';
import { useState } from 'react';

interface ShownOnceProps {
  title: string;
  /** What it is for, and where to keep it. */
  about: string;
  secret: string | null;
  onSaved: () => void;
}

/** A secret that the service does not show again: it stays open until it is said to be saved. */
export function ShownOnce({ title, about, secret, onSaved }: ShownOnceProps) {
  const [isSaved, setSaved] = useState(false);
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
          {about} It is shown this once.
        </Alert>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {secret}
        </Code>
        <Group justify="space-between">
          <CopyButton value={secret ?? ''}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Checkbox
            label="I have saved it"
            checked={isSaved}
            onChange={(event) => setSaved(event.currentTarget.checked)}
          />
        </Group>
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
