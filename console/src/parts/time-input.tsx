import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { toLocalInput, zoneName } from './local-time.ts';

interface TimeInputProps {
  label: string;
  description?: string;
  required?: boolean;
  error?: ReactNode;
  /** An instant. Empty means none. */
  at: string;
  onChange: (at: string) => void;
}

/** A time in the viewer's zone. */
export function TimeInput({ at, onChange, description = '', ...others }: TimeInputProps) {
  return (
    <TextInput
      {...others}
      description={[description, zoneName()].filter((text) => text !== '').join('. ')}
      type="datetime-local"
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={toLocalInput(at)}
      onChange={(event) => {
        const chosen = new Date(event.currentTarget.value);
        onChange(Number.isNaN(chosen.getTime()) ? '' : chosen.toISOString());
      }}
    />
  );
}
