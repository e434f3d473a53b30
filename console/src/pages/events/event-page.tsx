import type { EventWithPayload } from '@agent-herald/client';
import { Card, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useApp } from '../../api/app.tsx';
import { Facts } from '../../parts/facts.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { List, useList } from '../../parts/list.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Payload } from '../../parts/payload.tsx';
import { Section } from '../../parts/section.tsx';
import { Uid } from '../../parts/uid.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { AtTime, When } from '../../parts/when.tsx';
import { WorkflowLink } from '../../parts/workflow-link.tsx';
import { DeliveryTable, type Keys } from '../deliveries/delivery-table.tsx';
import { OtherWebhooks } from './other-webhooks.tsx';
import { ResendEvent } from './resend-event.tsx';

const refreshMs = 3_000;

/** One event: its payload and its deliveries. */
export function EventPage() {
  const { calls, key, mayChange } = useApp();
  const { eventId } = useParams({ from: '/signed-in/apps/$appUid/events/$eventId' });
  const query = useQuery({
    queryKey: [...key, 'events', eventId],
    queryFn: ({ signal }) => calls.events.get(eventId, { signal }),
    refetchInterval: ({ state }) => (state.data?.dispatchedAt === null ? refreshMs : false),
  });
  const { data: event } = query;
  return (
    <Page
      title={event?.event ?? 'Event'}
      about={<Uid value={eventId} />}
      actions={mayChange && event?.payload != null && <ResendEvent event={event} />}
    >
      <Loaded query={query}>
        {(loaded) => (
          <>
            <EventFacts event={loaded} />
            <Section title="Deliveries">
              <Deliveries event={loaded} />
            </Section>
            <OtherWebhooks event={loaded} />
            <Section title="Payload">
              {loaded.payload === null ? (
                <Text c="dimmed">
                  It was erased <AtTime at={loaded.erasedAt} />.
                </Text>
              ) : (
                <Payload text={JSON.stringify(loaded.payload)} label="Payload" />
              )}
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function EventFacts({ event }: { event: EventWithPayload }) {
  return (
    <Card withBorder padding="lg">
      <Facts
        of={[
          ['Time', <When key="time" at={event.timestamp} />],
          ['Resource', <Uid key="resource" value={event.resourceUid} />],
          ['Sequence', event.sequence ?? 'none'],
          ...(event.syncUid === null
            ? []
            : [['Sent by', <SyncLink key="sync" syncUid={event.syncUid} />] as const]),
          ['Tenant', <Line key="tenant" text={event.externalTenantId} />],
          ['Dispatched', <When key="given" at={event.dispatchedAt} none="not yet" />],
          ['Workflow', <WorkflowLink key="workflow" workflowId={event.workflowId} />],
        ]}
      />
    </Card>
  );
}

function SyncLink({ syncUid }: { syncUid: string }) {
  const { app } = useApp();
  return (
    <AnchorLink to="/apps/$appUid/syncs/$syncUid" params={{ appUid: app.uid, syncUid }}>
      a sync of the present state
    </AnchorLink>
  );
}

function Deliveries({ event: { eventId } }: { event: EventWithPayload }) {
  const { calls, key } = useApp();
  const [keys, setKeys] = useState<Keys>(new Set());
  const list = useList({
    key: [...key, 'deliveries', 'of', eventId],
    list: (paging, options) => calls.events.deliveries(eventId, paging, options),
    refreshMs,
  });
  return (
    <List
      of={list}
      empty={
        <Empty title="No webhook was subscribed">
          To receive later events like this one, change the events, tenants or filter of a webhook.
          To send this one, use Resend.
        </Empty>
      }
    >
      {(rows) => <DeliveryTable {...{ rows, keys, setKeys }} />}
    </List>
  );
}
