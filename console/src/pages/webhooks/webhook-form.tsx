import type { EventType, Webhook } from '@agent-herald/client';
import { Accordion, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useEffect, useState } from 'react';
import { fieldErrors } from '../../api/queries.ts';
import { Fault } from '../../parts/fault.tsx';
import { faultSentence, useFirstFault } from '../../parts/field-fault.tsx';
import { useKeptInput } from '../../parts/kept-input.ts';
import { Restored, Unsaved } from '../../parts/unsaved.tsx';
import { AddressFields } from './address-fields.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { DeliveryFields } from './delivery-fields.tsx';
import { EventFields } from './event-fields.tsx';
import type { FieldsProps } from './fields-props.ts';
import { NoteFields } from './note-fields.tsx';
import { SelectionFields } from './selection-fields.tsx';
import { advancedFields, usesAdvanced, webhookFaults } from './webhook-faults.ts';
import { type WebhookValues, withoutSecrets } from './webhook-values.ts';

interface WebhookFormProps {
  initial: WebhookValues;
  types: readonly EventType[];
  webhook: Webhook | null;
  verb: string;
  save: {
    mutateAsync: (values: WebhookValues) => Promise<unknown>;
    isPending: boolean;
    error: unknown;
  };
}

/** The state of the form: its values, which outlive an ended session, and its faults. */
function useWebhookForm({ initial, webhook, save }: WebhookFormProps) {
  const kept = useKeptInput<ReturnType<typeof withoutSecrets>>(
    `webhook:${webhook?.uid ?? 'new'}:${webhook?.updatedAt ?? ''}`,
  );
  const { restored } = kept;
  const [isBack, setBack] = useState(restored !== null);
  const [isOpen, setOpen] = useState(usesAdvanced({ ...initial, ...restored }));
  const firstFault = useFirstFault();
  const form = useForm<WebhookValues>({
    initialValues: initial,
    validate: webhookFaults,
    onValuesChange: (values) => kept.keep(withoutSecrets(values)),
  });
  useEffect(() => {
    if (restored !== null) form.setValues(restored);
    // Once: later values are typed here.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const forget = (): void => {
    kept.keep(null);
    setBack(false);
  };
  const refuse = (errors: Record<string, ReactNode>): void => {
    form.setErrors(errors);
    if (Object.keys(errors).some((name) => advancedFields.includes(name))) setOpen(true);
    firstFault.lead();
  };
  const send = async (values: WebhookValues): Promise<void> => {
    try {
      await save.mutateAsync(values);
      form.resetDirty();
      forget();
    } catch (error) {
      refuse(fieldErrors(error));
    }
  };
  const submit = form.onSubmit((values) => void send(values), refuse);
  const discard = (): void => {
    form.reset();
    forget();
  };
  return { form, element: firstFault.form, submit, isBack, discard, forget, isOpen, setOpen };
}

/** All fields of a webhook. What the browser cannot check is checked by the service, and shown next to the fields. */
export function WebhookFields(props: WebhookFormProps) {
  const { types, webhook, verb, save } = props;
  const { form, element, submit, isBack, discard, forget, isOpen, setOpen } = useWebhookForm(props);
  const faults = Object.keys(form.errors).length;
  // An error that belongs to no field is shown at the end.
  const isBeside = Object.keys(fieldErrors(save.error)).length > 0;
  const fields = { form, webhook };
  return (
    <form onSubmit={submit} noValidate ref={element}>
      <Unsaved isUnsaved={form.isDirty()} onLeave={forget} />
      <Stack gap="lg" maw={760}>
        {isBack && (
          <Restored
            except="Headers, passwords and keys are not kept: enter them again."
            onDiscard={discard}
          />
        )}
        <Part title="Destination">
          <AddressFields {...fields} types={types} />
        </Part>
        <Part title="Events">
          <EventFields {...fields} types={types} />
        </Part>
        <Advanced {...fields} isOpen={isOpen} setOpen={setOpen} />
        {faults > 0 && (
          <Text role="alert" c="var(--mantine-color-error)" size="sm">
            {faultSentence(faults)}
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

interface AdvancedProps extends FieldsProps {
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
}

/** What most webhooks do not need. */
function Advanced({ isOpen, setOpen, ...fields }: AdvancedProps) {
  return (
    <Accordion
      variant="contained"
      value={isOpen ? 'advanced' : null}
      onChange={(opened) => setOpen(opened !== null)}
      order={2}
    >
      <Accordion.Item value="advanced">
        <Accordion.Control>
          Advanced
          <Text size="sm" c="dimmed">
            Tenants and filter, order, rate and retries, signatures, headers and credentials, notes
          </Text>
        </Accordion.Control>
        <Accordion.Panel>
          <Stack gap="xl">
            {fields.form.getValues().kind === 'resources' && (
              <Part title="Selection" order={3}>
                <SelectionFields {...fields} />
              </Part>
            )}
            <Part title="Delivery" order={3}>
              <DeliveryFields {...fields} />
            </Part>
            <Part
              title="Extra headers and credentials"
              order={3}
              about="For a gateway in front of your receiver. Encrypted on save, and never shown again."
            >
              <CredentialFields {...fields} />
            </Part>
            <Part title="Notes" order={3}>
              <NoteFields {...fields} />
            </Part>
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

interface PartProps {
  title: string;
  about?: string;
  /** The level of the heading. */
  order?: 2 | 3;
  children: ReactNode;
}

/** A part of the form, with its heading. */
function Part({ title, about, order = 2, children }: PartProps) {
  const content = (
    <Stack>
      <div>
        <Title order={order} size="h4">
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
  );
  if (order === 3) return <section aria-label={title}>{content}</section>;
  return (
    <Card withBorder padding="lg" component="section" aria-label={title}>
      {content}
    </Card>
  );
}
