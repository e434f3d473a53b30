import { Checkbox, NumberInput, PasswordInput, Radio, Stack, TagsInput } from '@mantine/core';
import { useSettings } from '../../api/settings.ts';
import { RetryLine } from './retry-line.tsx';
import type { FieldsProps } from './fields-props.ts';
import { ownSecret } from './secret-about.ts';

const rate = {
  min: 1,
  allowDecimal: false,
  allowNegative: false,
  w: { base: '100%', xs: 260 },
} as const;

/** Order, rate, signatures and retries. */
export function DeliveryFields({ form, webhook }: FieldsProps) {
  const { kind, retrySchedule } = form.getValues();
  const settings = useSettings();
  const ofService = settings?.retrySchedule;
  const own = retrySchedule !== null;
  const waits = retrySchedule ?? ofService;
  return (
    <>
      {kind === 'resources' && (
        <Radio.Group label="Order" {...form.getInputProps('ordering')}>
          <Stack mt={6} gap="sm">
            <Radio
              value="parallel"
              label="Parallel"
              description="Each event is sent immediately. A later event can overtake one that is being retried: compare sequence in the payload."
            />
            <Radio
              value="resource"
              label="In order for each resource"
              description="An event waits until the previous event of the same resource is settled: up to three days with the default retries. Other resources do not wait."
            />
          </Stack>
        </Radio.Group>
      )}
      <RateFields form={form} />
      <SignatureFields form={form} webhook={webhook} />
      <Radio.Group
        label="Retries"
        value={own ? 'own' : 'service'}
        onChange={(value) =>
          form.setFieldValue('retrySchedule', value === 'own' ? [...(ofService ?? [])] : null)
        }
      >
        <Stack mt={6} gap="sm">
          <Radio value="service" label="Default schedule" />
          <Radio value="own" label="Custom schedule" />
        </Stack>
      </Radio.Group>
      {own && (
        <TagsInput
          label="Waits between attempts"
          description="Such as 5s, 2m, 1h or 1d, in order. Each at least 1s, 7 days in total. Empty: one attempt, no retries."
          {...form.getInputProps('retrySchedule')}
          allowDuplicates
          splitChars={[',', ' ']}
          clearable
          clearButtonProps={{ 'aria-label': 'No retries' }}
        />
      )}
      {waits !== undefined && <RetryLine waits={waits} />}
    </>
  );
}

function RateFields({ form }: Pick<FieldsProps, 'form'>) {
  return (
    <>
      <NumberInput
        label="Maximum requests per second"
        description="Deliveries above the limit wait and are not lost. Empty: no limit."
        {...form.getInputProps('ratePerSecond')}
        {...rate}
      />
      {form.getValues().kind === 'resources' && (
        <NumberInput
          label="Maximum requests per second for each tenant"
          description="Instead of the limit above: a tenant with many events does not delay the others."
          {...form.getInputProps('ratePerSecondPerTenant')}
          {...rate}
        />
      )}
    </>
  );
}

function SignatureFields({ form, webhook }: FieldsProps) {
  return (
    <>
      {webhook === null && (
        <PasswordInput
          label="Secret"
          description={ownSecret}
          autoComplete="off"
          {...form.getInputProps('secret')}
        />
      )}
      <Checkbox.Group
        label="Signatures"
        description="The versions in webhook-signature. X-Webhook-Signature is always sent."
        {...form.getInputProps('signatures')}
      >
        <Stack mt={6} gap="sm">
          <Checkbox value="v1" label="v1: by the secret of the webhook" />
          <Checkbox
            value="v1a"
            label="v1a: by a private key of the application"
            description="Receivers verify it with public keys and need no secret."
          />
        </Stack>
      </Checkbox.Group>
      <Checkbox
        label="CloudEvents"
        description="Also send the headers ce-id, ce-source, ce-type, ce-time and ce-specversion. The body stays the same."
        {...form.getInputProps('cloudEvents', { type: 'checkbox' })}
      />
    </>
  );
}
