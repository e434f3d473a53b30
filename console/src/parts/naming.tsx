import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { fieldErrors } from '../api/queries.ts';
import { FormDialog } from './form-dialog.tsx';
import { useChange } from './use-change.tsx';
import type { DialogState } from './use-dialog.tsx';

const nameCharactersMax = 200;

interface NamingProps<Named> extends DialogState {
  title: string;
  verb: string;
  /** The current name. Absent for something new. */
  name?: string | null;
  description?: string;
  change: (name: string) => Promise<Named>;
  changes: readonly (readonly unknown[])[];
  onDone?: (named: Named) => void;
}

/** A dialog that asks for a name. */
export function Naming<Named>(props: NamingProps<Named>) {
  const { title, verb, name, description, change, changes, onDone, opened, onClose } = props;
  const [typed, setTyped] = useState(name ?? '');
  const wanted = typed.trim();
  const naming = useChange({
    change: () => change(wanted),
    changes,
    done: verb === 'Rename' ? `Renamed to ${wanted}.` : `${verb}d ${wanted}.`,
    onDone: (named) => {
      onClose();
      onDone?.(named);
    },
  });
  return (
    <FormDialog
      title={title}
      verb={verb}
      isReady={wanted !== '' && wanted !== name}
      opened={opened}
      onClose={onClose}
      change={naming}
      fields={['name']}
    >
      <TextInput
        label="Name"
        description={description}
        required
        maxLength={nameCharactersMax}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={fieldErrors(naming.error)['name']}
        data-autofocus
        autoComplete="off"
      />
    </FormDialog>
  );
}
