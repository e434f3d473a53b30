import { Input, Stack, Textarea } from '@mantine/core';
import { PairRows } from './pair-rows.tsx';
import type { FieldsProps } from './fields-props.ts';

/** Notes about the webhook. The service does not use them. */
export function NoteFields({ form }: FieldsProps) {
  return (
    <>
      <Textarea
        label="Description"
        description="Its purpose, and whom to contact."
        {...form.getInputProps('description')}
        autosize
        minRows={2}
        maxRows={8}
      />
      <Stack gap={6} role="group" aria-label="Metadata">
        <Input.Label component="div">Metadata</Input.Label>
        <PairRows
          noun="Entry"
          rows={form.getValues().metadata}
          onChange={(rows) => form.setFieldValue('metadata', rows)}
          error={form.errors['metadata'] as string | undefined}
        />
      </Stack>
    </>
  );
}
