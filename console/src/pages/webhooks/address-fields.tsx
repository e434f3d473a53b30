import type { EventType } from '@agent-herald/client';
import { Group, Loader, Radio, Switch, Text, TextInput } from '@mantine/core';
import { Line } from '../../parts/untrusted.tsx';
import { useUrlCheck } from './use-url-check.ts';
import type { FieldsProps } from './fields-props.ts';
import { defaultEvents } from './webhook-values.ts';

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
            form.setValues({ kind: next, events: defaultEvents(next, types) });
          }}
        >
          <Group mt={6} gap="lg">
            <Radio
              value="resources"
              label="Resources"
              description="Changes to agents, contexts and files"
            />
            <Radio
              value="operations"
              label="Operations"
              description="Failing webhooks, expiring keys, revoked tokens"
            />
          </Group>
        </Radio.Group>
      )}
      <TextInput
        label="Name"
        description="A name to recognise the webhook by."
        {...form.getInputProps('name')}
        autoComplete="off"
      />
      <UrlField form={form} />
      {webhook === null && (
        <Switch
          label="Active"
          description="If off, the webhook starts paused, and its events are held until you resume it."
          {...form.getInputProps('active', { type: 'checkbox' })}
        />
      )}
    </>
  );
}

/** A URL field, validated by the service while typing. */
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
            ? 'The URL of your receiver, or mailto: and an address if the service has a mail server.'
            : 'The URL of your receiver. It must be reachable from the internet, unless the settings of the service allow other addresses.'
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
          Stored as <Line text={rewritten} />
        </Text>
      )}
    </>
  );
}
