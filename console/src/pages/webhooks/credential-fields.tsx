import {
  Button,
  Group,
  Input,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { FieldFault } from '../../parts/field-fault.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { PairRows } from './pair-rows.tsx';
import type { FieldsProps, WebhookForm } from './fields-props.ts';
import type { WebhookValues } from './webhook-values.ts';

/** Headers, `Authorization` and the client certificate, which can be written but never read. */
export function CredentialFields({ form, webhook }: FieldsProps) {
  return (
    <>
      <HeaderFields form={form} names={webhook?.headers ?? null} />
      <AuthFields form={form} isSet={(webhook?.auth ?? null) !== null} />
      <CertificateFields form={form} isSet={(webhook?.tls ?? null) !== null} />
    </>
  );
}

function HeaderFields({ form, names }: { form: WebhookForm; names: string[] | null }) {
  const { headers } = form.getValues();
  return (
    <Stack gap={6} role="group" aria-label="Headers">
      <Input.Label component="div">Headers</Input.Label>
      {headers === null ? (
        <Group gap="sm">
          <Text size="sm">
            Unchanged: <Line text={(names ?? []).join(', ')} />
          </Text>
          <Button size="xs" variant="default" onClick={() => form.setFieldValue('headers', [])}>
            Replace headers
          </Button>
        </Group>
      ) : (
        <>
          {names !== null && (
            <Text size="sm">The current headers will be replaced. Enter all headers to send.</Text>
          )}
          <PairRows
            noun="Header"
            rows={headers}
            onChange={(rows) => form.setFieldValue('headers', rows)}
            error={form.errors['headers'] as string | undefined}
          />
        </>
      )}
    </Stack>
  );
}

interface SealedProps {
  form: WebhookForm;
  /** True if the webhook already has one. */
  isSet: boolean;
}

const keep = { value: 'keep', label: 'Keep as it is' };

function AuthFields({ form, isSet }: SealedProps) {
  const { type } = form.getValues().auth;
  const choices = [
    { value: 'none', label: 'None' },
    { value: 'bearer', label: 'Bearer' },
    { value: 'basic', label: 'Basic' },
  ];
  return (
    <Stack gap={6} role="group" aria-label="Authorization">
      <Input.Label component="div">Authorization</Input.Label>
      <SegmentedControl
        aria-label="Authorization"
        data={isSet ? [keep, ...choices] : choices}
        value={type}
        onChange={(value) =>
          form.setFieldValue('auth.type', value as WebhookValues['auth']['type'])
        }
        style={{ alignSelf: 'start' }}
      />
      {type === 'bearer' && (
        <PasswordInput label="Token" autoComplete="off" {...form.getInputProps('auth.token')} />
      )}
      {type === 'basic' && (
        <>
          <TextInput
            label="User name"
            autoComplete="off"
            {...form.getInputProps('auth.username')}
          />
          <PasswordInput
            label="Password"
            autoComplete="off"
            {...form.getInputProps('auth.password')}
          />
        </>
      )}
      <FieldFault>{form.errors['auth']}</FieldFault>
    </Stack>
  );
}

function CertificateFields({ form, isSet }: SealedProps) {
  const { type } = form.getValues().tls;
  const choices = [
    { value: 'none', label: 'None' },
    { value: 'set', label: isSet ? 'Replace' : 'Set' },
  ];
  return (
    <Stack gap={6} role="group" aria-label="Client certificate">
      <Input.Label component="div">Client certificate</Input.Label>
      <SegmentedControl
        aria-label="Client certificate"
        data={isSet ? [keep, ...choices] : choices}
        value={type}
        onChange={(value) => form.setFieldValue('tls.type', value as WebhookValues['tls']['type'])}
        style={{ alignSelf: 'start' }}
      />
      {type === 'set' && (
        <>
          <Textarea
            label="Certificate and its chain (PEM)"
            autosize
            minRows={3}
            maxRows={8}
            spellCheck={false}
            {...form.getInputProps('tls.certificate')}
          />
          <Textarea
            label="Private key (PEM)"
            autosize
            minRows={3}
            maxRows={8}
            spellCheck={false}
            {...form.getInputProps('tls.key')}
          />
        </>
      )}
      <FieldFault>{form.errors['tls']}</FieldFault>
    </Stack>
  );
}
