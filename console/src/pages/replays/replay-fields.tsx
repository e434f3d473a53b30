import {
  Checkbox,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { subscribedEventNames } from '../../api/event-names.ts';
import { useKnownWebhooks } from '../../api/webhooks.ts';
import { TimeInput } from '../../parts/time-input.tsx';
import { webhookChoices } from '../../parts/webhook-choices.ts';
import { allChoices, isPossible, type Range, type Wish } from './replay-wish.ts';

interface ReplayFieldsProps {
  wish: Wish;
  change: (fields: Partial<Wish>) => void;
}

const ranges: { value: Range; label: string }[] = [
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last 24 hours' },
  { value: 'own', label: 'Custom' },
];
const perSecondMax = 100;

/** The fields for the events, the receivers and the rate of a replay. */
export function ReplayFields({ wish, change }: ReplayFieldsProps) {
  const webhooks = useKnownWebhooks();
  const { webhookUid, events, externalTenantId, choices, perSecond } = wish;
  return (
    <>
      <Period wish={wish} change={change} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label="Webhook"
          data={[{ value: '', label: 'All webhooks' }, ...webhookChoices(webhooks)]}
          value={webhookUid}
          onChange={(value) => change({ webhookUid: value ?? '' })}
          allowDeselect={false}
        />
        <MultiSelect
          label="Events"
          placeholder={events.length === 0 ? 'all' : ''}
          data={[...subscribedEventNames]}
          value={[...events]}
          onChange={(chosen) => change({ events: chosen })}
          searchable
        />
        <TextInput
          label="Tenant"
          placeholder="all"
          value={externalTenantId}
          onChange={(event) => change({ externalTenantId: event.currentTarget.value })}
          autoComplete="off"
        />
        <NumberInput
          label="Maximum deliveries per second"
          min={1}
          max={perSecondMax}
          allowDecimal={false}
          clampBehavior="strict"
          value={perSecond}
          onChange={(value) => change({ perSecond: Number(value) || 1 })}
        />
      </SimpleGrid>
      <Checkbox.Group
        label="Deliveries to send"
        value={[...choices]}
        onChange={(chosen) => change({ choices: chosen })}
      >
        <Stack gap="xs" mt="xs">
          {allChoices.map((choice) => {
            const { value, label } = choice;
            const disabled = !isPossible(choice, webhookUid);
            const description = disabled ? 'Choose one webhook to send these.' : undefined;
            return <Checkbox key={value} {...{ value, label, disabled, description }} />;
          })}
        </Stack>
      </Checkbox.Group>
    </>
  );
}

function Period({ wish: { range, since, until }, change }: ReplayFieldsProps) {
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" fw={500} id="replay-period">
        {' '}
        Period{' '}
      </Text>
      <SegmentedControl
        aria-labelledby="replay-period"
        data={ranges}
        value={range}
        onChange={(value) => change({ range: value })}
      />
      {range === 'own' && (
        <SimpleGrid cols={{ base: 1, xs: 2 }} w="100%" maw={460}>
          <TimeInput label="From" at={since} onChange={(at) => change({ since: at })} />
          <TimeInput
            label="Until"
            description="Empty: now"
            at={until}
            onChange={(at) => change({ until: at })}
          />
        </SimpleGrid>
      )}
    </Stack>
  );
}
