import type { EventType, Webhook } from '@agent-herald/client';
import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { fieldErrors } from '../../api/queries.ts';
import { Fault } from '../../parts/fault.tsx';
import { AddressFields } from './address-fields.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { DeliveryFields } from './delivery-fields.tsx';
import { EventFields } from './event-fields.tsx';
import { NoteFields } from './note-fields.tsx';
import { filterFault, type WebhookValues } from './webhook-values.ts';

interface WebhookFormProps {
  initial: WebhookValues;
  types: readonly EventType[];
  webhook: Webhook | null;
  verb: string;
  save: {
    mutate: (values: WebhookValues, options: { onError: (error: unknown) => void }) => void;
    isPending: boolean;
    error: unknown;
  };
}

/** All fields of a webhook. The service validates them, and its errors are shown next to the fields. */
export function WebhookFields({ initial, types, webhook, verb, save }: WebhookFormProps) {
  const form = useForm<WebhookValues>({
    initialValues: initial,
    validate: { filter: filterFault },
  });
  const submit = form.onSubmit((values) =>
    save.mutate(values, { onError: (error) => form.setErrors(fieldErrors(error)) }),
  );
  // An error that belongs to no field is shown at the end.
  const isBeside = Object.keys(fieldErrors(save.error)).length > 0;
  const fields = { form, webhook };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg" maw={760}>
        <Section title="Destination">
          <AddressFields {...fields} types={types} />
        </Section>
        <Section title="Events">
          <EventFields {...fields} types={types} />
        </Section>
        <Section title="Delivery">
          <DeliveryFields {...fields} />
        </Section>
        <Section
          title="Extra headers and credentials"
          about="For a gateway in front of your receiver. Encrypted on save, and never shown again."
        >
          <CredentialFields {...fields} />
        </Section>
        <Section title="Notes">
          <NoteFields {...fields} />
        </Section>
        {save.error !== null && isBeside && (
          <Text role="alert" c="var(--mantine-color-error)" size="sm">
            Not saved. Fix the fields marked above.
          </Text>
        )}
        {save.error !== null && !isBeside && <Fault error={save.error} />}
        <Group>
          <Button type="submit" loading={save.isPending}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface SectionProps {
  title: string;
  about?: string;
  children: ReactNode;
}

function Section({ title, about, children }: SectionProps) {
  return (
    <Card withBorder padding="lg" component="section" aria-label={title}>
      <Stack>
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          {about !== undefined && (
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Card>
  );
}
