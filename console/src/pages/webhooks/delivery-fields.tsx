import { NumberInput, Radio, Stack, TagsInput } from '@mantine/core';
import { useSettings } from '../../api/settings.ts';
import { RetryLine } from './retry-line.tsx';
import type { FieldsProps } from './fields-props.ts';

/** Order, rate and retries. */
export function DeliveryFields({ form }: FieldsProps) {
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
              description="Each event is sent at once. A later one may overtake one that is retried: your receiver compares X-Webhook-Sequence."
            />
            <Radio
              value="resource"
              label="In order for each resource"
              description="An event waits until the one before it about the same resource is done: with the usual retries up to three days. Other resources do not wait."
            />
          </Stack>
        </Radio.Group>
      )}
      <NumberInput
        label="Requests a second, at most"
        description="What comes faster waits its turn, and is not lost. Empty: no such limit."
        {...form.getInputProps('ratePerSecond')}
        min={1}
        allowDecimal={false}
        allowNegative={false}
        w={{ base: '100%', xs: 260 }}
      />
      <Radio.Group
        label="Retries"
        value={own ? 'own' : 'service'}
        onChange={(value) =>
          form.setFieldValue('retrySchedule', value === 'own' ? [...(ofService ?? [])] : null)
        }
      >
        <Stack mt={6} gap="sm">
          <Radio value="service" label="As the service does" />
          <Radio value="own" label="A schedule of its own" />
        </Stack>
      </Radio.Group>
      {own && (
        <TagsInput
          label="Waits between the attempts"
          description="Such as 5s, 2m, 1h or 1d, in their order; at least 1s each, 7 days in all. None: one attempt."
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
