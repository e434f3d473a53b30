import { subscribedEventNames } from '@agent-herald/client';
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
import type { ReactNode } from 'react';
import { useKnownWebhooks } from '../../api/webhooks.ts';
import { TimeInput } from '../../parts/time-input.tsx';
import { webhookChoices } from '../../parts/webhook-choices.ts';
import { allChoices, isPossible, type Kinds, type Range, type Wish } from './replay-wish.ts';

interface ReplayFieldsProps {
  wish: Wish;
  change: (fields: Partial<Wish>) => void;
}

const ranges: { value: Range; label: string }[] = [
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last 24 hours' },
  { value: 'own', label: 'Custom' },
];
const kindsToSend: { value: Kinds; label: string }[] = [
  { value: 'failed', label: 'What failed' },
  { value: 'all', label: 'Everything' },
  { value: 'own', label: 'Custom' },
];
const aboutKinds = {
  failed: 'Exhausted, blocked, and expired or abandoned deliveries.',
  all: 'All events of one webhook, also delivered ones, and ones that were never sent to it.',
};
const perSecondMax = 100;

/** The fields for the events, the receivers and the rate of a replay. */
export function ReplayFields({ wish, change }: ReplayFieldsProps) {
  const webhooks = useKnownWebhooks();
  const { webhookUid, events, externalTenantId, perSecond } = wish;
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
      <DeliveriesToSend wish={wish} change={change} />
    </>
  );
}

function DeliveriesToSend({ wish, change }: ReplayFieldsProps) {
  const { kinds, choices, webhookUid } = wish;
  return (
    <Segments
      label="Deliveries to send"
      data={kindsToSend}
      value={kinds}
      onChange={(value) => change({ kinds: value })}
    >
      {kinds === 'own' ? (
        <Checkbox.Group
          aria-label="Kinds of deliveries"
          value={[...choices]}
          onChange={(chosen) => change({ choices: chosen })}
        >
          <Stack gap="xs">
            {allChoices.map((choice) => {
              const { value, label } = choice;
              const disabled = !isPossible(choice, webhookUid);
              const description = disabled ? 'Choose one webhook to send these.' : undefined;
              return <Checkbox key={value} {...{ value, label, disabled, description }} />;
            })}
          </Stack>
        </Checkbox.Group>
      ) : (
        <Text size="sm">{aboutKinds[kinds]}</Text>
      )}
    </Segments>
  );
}

function Period({ wish: { range, since, until }, change }: ReplayFieldsProps) {
  return (
    <Segments
      label="Period"
      data={ranges}
      value={range}
      onChange={(value) => change({ range: value })}
    >
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
    </Segments>
  );
}

interface SegmentsProps<Value extends string> {
  label: string;
  data: { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
  children: ReactNode;
}

function Segments<Value extends string>({ label, children, ...props }: SegmentsProps<Value>) {
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <SegmentedControl aria-label={label} {...props} />
      {children}
    </Stack>
  );
}
