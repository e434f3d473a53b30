import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { fieldErrors } from '../api/queries.ts';
import { Fault } from './fault.tsx';
import { visibleText } from './visible-text.ts';

/** The mutation of a dialog: the result of `useChange`. */
export interface DialogChange {
  mutate: () => void;
  isPending: boolean;
  error: unknown;
}

interface FormDialogProps {
  title: string;
  children: ReactNode;
  /** The label of the button: the verb of the action. */
  verb: string;
  color?: string;
  isReady?: boolean;
  opened: boolean;
  onClose: () => void;
  change: DialogChange;
  /** The fields that show the errors of the service themselves. */
  fields?: readonly string[];
}

/** A form in a dialog, with the button that submits it. */
export function FormDialog(props: FormDialogProps) {
  const { title, children, verb, color, isReady = true, opened, onClose, change } = props;
  const faults = Object.keys(fieldErrors(change.error));
  // What it answers is told here.
  const close = (): void => {
    if (!change.isPending) onClose();
  };
  const isBesideFields = faults.length > 0 && faults.every((name) => props.fields?.includes(name));
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={visibleText(title)}
      closeButtonProps={{ 'aria-label': 'Close' }}
      // A click beside it would lose what was typed.
      closeOnClickOutside={false}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <Stack>
          {children}
          {change.error !== null && !isBesideFields && <Fault error={change.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} disabled={change.isPending}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={change.isPending}
              disabled={!isReady}
              {...(color === undefined ? {} : { color })}
            >
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
