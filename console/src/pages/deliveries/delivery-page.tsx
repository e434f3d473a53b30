import type { DeliveryDetail, Webhook } from '@agent-herald/client';
import { Card, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { useSettings } from '../../api/settings.ts';
import { useKnownWebhooks, webhookLabel } from '../../api/webhooks.ts';
import { Facts } from '../../parts/facts.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useNow } from '../../parts/use-now.ts';
import { When } from '../../parts/when.tsx';
import { WorkflowLink } from '../../parts/workflow-link.tsx';
import { AttemptList } from './attempt-list.tsx';
import { DeliveryActions } from './delivery-actions.tsx';
import { WebhookName } from './delivery-columns.tsx';
import { meaningOf } from './delivery-meaning.ts';
import { refreshMsOf } from './delivery-refresh.ts';
import { RequestCard } from './request-card.tsx';
import { VerifyPanel } from './verify-panel.tsx';

/** One delivery: its state, the reason, the next step and the request. */
export function DeliveryPage() {
  const { calls, key } = useApp();
  const { eventId, webhookUid } = useParams({
    from: '/signed-in/apps/$appUid/deliveries/$eventId/$webhookUid',
  });
  const [resentAfter, setResentAfter] = useState<number | null>(null);
  const query = useQuery({
    queryKey: [...key, 'deliveries', eventId, webhookUid],
    queryFn: ({ signal }) => calls.deliveries.get(eventId, webhookUid, { signal }),
    refetchInterval: ({ state }) => refreshMsOf(state.data, resentAfter),
  });
  const webhook = useKnownWebhooks().find(({ uid }) => uid === webhookUid);
  const name = webhook === undefined ? webhookUid : webhookLabel(webhook);
  const actions = (delivery: DeliveryDetail) => (
    <DeliveryActions
      delivery={delivery}
      hasWebhook={webhook !== undefined}
      onResent={() => setResentAfter(delivery.attemptCount)}
    />
  );
  return (
    <Page
      title={query.data === undefined ? 'Delivery' : `Delivery of ${query.data.event}`}
      about={
        <>
          to <Line text={name} />
        </>
      }
      actions={query.data !== undefined && actions(query.data)}
    >
      <Loaded query={query}>
        {(delivery) => <Sections delivery={delivery} webhook={webhook} />}
      </Loaded>
    </Page>
  );
}

interface SectionsProps {
  delivery: DeliveryDetail;
  webhook: Webhook | undefined;
}

function Sections({ delivery, webhook }: SectionsProps) {
  const { attempts } = delivery;
  const request = attempts.length === 0 ? null : delivery.request;
  return (
    <>
      <Summary delivery={delivery} webhook={webhook} />
      <Section title="Attempts">
        <AttemptList attempts={attempts} />
      </Section>
      <Section title="Request">
        {request === null ? (
          <Text c="dimmed">
            {attempts.length === 0
              ? 'No request has been sent yet.'
              : 'No request to show: the webhook was deleted, or it sends email instead of requests.'}
          </Text>
        ) : (
          <RequestCard request={request} />
        )}
      </Section>
      {request !== null && request.body !== null && (
        <Section title="Verify the signature">
          <VerifyPanel
            webhookUid={delivery.webhookUid}
            request={request}
            body={request.body}
            attempts={attempts}
          />
        </Section>
      )}
    </>
  );
}

function Summary({ delivery, webhook }: SectionsProps) {
  const { app } = useApp();
  const webhooks = useKnownWebhooks();
  const settings = useSettings();
  const { event, eventId, webhookUid, externalTenantId, createdAt, state } = delivery;
  return (
    <Card withBorder padding="lg">
      <Stack gap="md">
        <Group gap="md" align="flex-start" wrap="nowrap">
          <StateBadge state={state} />
          <Meaning
            delivery={delivery}
            schedule={webhook?.retrySchedule ?? settings?.retrySchedule ?? null}
          />
        </Group>
        <Facts
          of={[
            [
              'Event',
              <Group key="event" gap="xs">
                <AnchorLink
                  to="/apps/$appUid/events/$eventId"
                  params={{ appUid: app.uid, eventId }}
                >
                  {event}
                </AnchorLink>
                <Uid value={eventId} />
              </Group>,
            ],
            [
              'Webhook',
              <WebhookName key="webhook" {...{ appUid: app.uid, webhookUid, webhooks }} />,
            ],
            ['Tenant', <Line key="tenant" text={externalTenantId} />],
            ['Created', <When key="created" at={createdAt} />],
            ['Workflow', <WorkflowLink key="workflow" workflowId={delivery.workflowId} />],
          ]}
        />
      </Stack>
    </Card>
  );
}

function Meaning(props: { delivery: DeliveryDetail; schedule: readonly string[] | null }) {
  const { app } = useApp();
  const now = useNow();
  const { delivery, schedule } = props;
  const { waitsFor, webhookUid } = delivery;
  return (
    <Text>
      {meaningOf(delivery, { now, schedule })}{' '}
      {waitsFor !== null && (
        <AnchorLink
          to="/apps/$appUid/deliveries/$eventId/$webhookUid"
          params={{ appUid: app.uid, eventId: waitsFor.eventId, webhookUid }}
        >
          {waitsFor.eventId}
        </AnchorLink>
      )}
    </Text>
  );
}
