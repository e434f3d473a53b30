import { TagsInput, Textarea } from '@mantine/core';
import type { FieldsProps } from './fields-props.ts';

/** Selects the events of the webhook further: by tenant, and by values of fields. */
export function SelectionFields({ form }: FieldsProps) {
  return (
    <>
      <TagsInput
        label="Tenants"
        description="Exact external IDs. Press Enter after each. Empty: events of all tenants."
        {...form.getInputProps('externalTenantIds')}
        clearable
        clearButtonProps={{ 'aria-label': 'All tenants' }}
      />
      <Textarea
        label="Filter"
        description='Required values of fields in data, as JSON: {"live": true, "processingStatus": ["ready", "failed"]}. Empty: no filter.'
        {...form.getInputProps('filter')}
        autosize
        minRows={2}
        maxRows={12}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        spellCheck={false}
      />
    </>
  );
}
