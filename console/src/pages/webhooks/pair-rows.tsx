import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { FieldFault } from '../../parts/field-fault.tsx';
import type { Pair } from './webhook-values.ts';

interface PairRowsProps {
  /** The noun for one row, such as `Header`. */
  noun: string;
  rows: readonly Pair[];
  onChange: (rows: Pair[]) => void;
  error?: string | undefined;
}

/** Names and values, one pair per row. */
export function PairRows({ noun, rows, onChange, error }: PairRowsProps) {
  const set = (index: number, change: Partial<Pair>): void =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...change } : row)));
  return (
    <Stack gap="xs" align="stretch">
      {rows.map(({ name, value }, index) => (
        <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
          <TextInput
            aria-label={`${noun} ${index + 1}: name`}
            placeholder="name"
            value={name}
            onChange={(event) => set(index, { name: event.currentTarget.value })}
            flex="1 1 40%"
            autoComplete="off"
            spellCheck={false}
          />
          <TextInput
            aria-label={`${noun} ${index + 1}: value`}
            placeholder="value"
            value={value}
            onChange={(event) => set(index, { value: event.currentTarget.value })}
            flex="1 1 60%"
            autoComplete="off"
            spellCheck={false}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove ${noun.toLowerCase()} ${index + 1}`}
            onClick={() => onChange(rows.filter((_, at) => at !== index))}
          >
            <X size={16} />
          </ActionIcon>
        </Group>
      ))}
      <FieldFault>{error}</FieldFault>
      <Button
        variant="default"
        size="xs"
        leftSection={<Plus size={14} />}
        onClick={() => onChange([...rows, { name: '', value: '' }])}
        style={{ alignSelf: 'start' }}
      >
        Add {noun.toLowerCase()}
      </Button>
    </Stack>
  );
}
