import { Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type DialogChange, FormDialog } from './form-dialog.tsx';
import { isTypedAs, visibleText } from './visible-text.ts';

interface ConfirmProps {
  title: string;
  /** The effect of the action, and what cannot be undone. */
  children: ReactNode;
  /** The label of the button: the verb of the action. */
  verb: string;
  /** Must be typed before the button is enabled, for actions that cannot be undone. */
  word?: string;
  opened: boolean;
  onClose: () => void;
  change: DialogChange;
}

/** Asks before an action that is hard to undo. */
export function Confirm({ children, word, onClose, ...others }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const close = (): void => {
    setTyped('');
    onClose();
  };
  const isReady = word === undefined || isTypedAs(typed, word);
  return (
    <FormDialog {...others} color="red" isReady={isReady} onClose={close}>
      <Text component="div" size="sm">
        {children}
      </Text>
      {word !== undefined && (
        <TextInput
          label={`Type ${visibleText(word)} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      )}
    </FormDialog>
  );
}
