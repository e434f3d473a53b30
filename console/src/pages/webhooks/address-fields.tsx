import type { EventType } from '@agent-herald/client';
import { Group, Loader, Radio, Switch, Text, TextInput } from '@mantine/core';
import { Line } from '../../parts/untrusted.tsx';
import { useUrlCheck } from './use-url-check.ts';
import type { FieldsProps } from './fields-props.ts';
import { allEvents } from './webhook-values.ts';

/** Kind, name and URL. */
export function AddressFields({
  form,
  webhook,
  types,
}: FieldsProps & { types: readonly EventType[] }) {
  const { kind } = form.getValues();
  return (
    <>
      {webhook === null && (
        <Radio.Group
          label="Kind"
          value={kind}
          onChange={(chosen) => {
            const next = chosen === 'operations' ? chosen : 'resources';
            form.setValues({ kind: next, events: allEvents(next, types) });
          }}
        >
          <Group mt={6} gap="lg">
            <Radio
              value="resources"
              label="Resources"
              description="Changes of agents, contexts and files"
            />
            <Radio
              value="operations"
              label="Operations"
              description="What the service tells of itself, such as a failing webhook"
            />
          </Group>
        </Radio.Group>
      )}
      <TextInput
        label="Name"
        description="By which you find it again."
        {...form.getInputProps('name')}
        autoComplete="off"
      />
      <UrlField form={form} />
      {webhook === null && (
        <Switch
          label="Active"
          description="Off: it begins paused, and holds what it gets until you resume it."
          {...form.getInputProps('active', { type: 'checkbox' })}
        />
      )}
    </>
  );
}

/** A URL, with the service's own verdict on it. */
function UrlField({ form }: Pick<FieldsProps, 'form'>) {
  const { kind, url } = form.getValues();
  const { isChecking, refusal, canonical } = useUrlCheck(url, kind);
  const { error, ...input } = form.getInputProps('url');
  const rewritten = canonical !== null && canonical !== url.trim() ? canonical : null;
  return (
    <>
      <TextInput
        label="URL"
        type="url"
        required
        description={
          kind === 'operations'
            ? 'Of your receiver, or mailto: and an address where operators have set a mail server.'
            : 'Of your receiver: it must be reachable from the internet, unless operators allow more.'
        }
        placeholder="https://hooks.example.com/agents"
        {...input}
        error={error ?? refusal}
        rightSection={
          isChecking ? <Loader size="xs" role="status" aria-label="Checking the URL" /> : null
        }
        autoComplete="off"
        spellCheck={false}
      />
      {rewritten !== null && (
        <Text size="sm" c="dimmed" mt={-8}>
          It is stored as <Line text={rewritten} />
        </Text>
      )}
    </>
  );
}
