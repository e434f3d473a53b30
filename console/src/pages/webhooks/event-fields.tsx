import type { EventType, SubscribedEventName } from '@agent-herald/client';
import { Code, Checkbox, SimpleGrid, Stack } from '@mantine/core';
import { FieldFault } from '../../parts/field-fault.tsx';
import { type EventGroup, groupsOf } from './event-choices.ts';
import type { FieldsProps } from './fields-props.ts';

/** Selects the events of the webhook by name. */
export function EventFields({ form, types }: FieldsProps & { types: readonly EventType[] }) {
  const { kind, events } = form.getValues();
  const { errors } = form;
  const error = errors['events'] ?? errors['entities'];
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
        {groupsOf(kind, types).map((group) => (
          <GroupOfEvents
            key={group.entity}
            group={group}
            chosen={events}
            onChange={(chosen) => {
              form.setFieldValue('events', chosen);
              form.clearFieldError('entities');
            }}
          />
        ))}
      </SimpleGrid>
      <FieldFault>{error}</FieldFault>
    </>
  );
}

interface GroupOfEventsProps {
  group: EventGroup;
  chosen: readonly SubscribedEventName[];
  onChange: (chosen: SubscribedEventName[]) => void;
}

function GroupOfEvents({ group: { entity, events }, chosen, onChange }: GroupOfEventsProps) {
  const names = events.map(({ event }) => event);
  const others = chosen.filter((event) => !names.includes(event));
  const own = names.filter((event) => chosen.includes(event));
  return (
    <Stack gap={6} role="group" aria-label={`Events of ${entity}`}>
      <Checkbox
        label={`All ${entity} events`}
        checked={own.length === names.length}
        indeterminate={own.length > 0 && own.length < names.length}
        onChange={(event) => onChange(event.currentTarget.checked ? [...others, ...names] : others)}
      />
      <Stack gap={6} pl={30}>
        {events.map(({ event: name, description }) => (
          <Checkbox
            key={name}
            size="sm"
            label={name}
            description={<ContractText text={description} />}
            checked={own.includes(name)}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked
                  ? [...others, ...own, name]
                  : [...others, ...own.filter((one) => one !== name)],
              )
            }
          />
        ))}
      </Stack>
    </Stack>
  );
}

/** Shows a description of the API's contract, with the parts between backticks as code. */
function ContractText({ text }: { text: string }) {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part : <Code key={index}>{part}</Code>));
}
