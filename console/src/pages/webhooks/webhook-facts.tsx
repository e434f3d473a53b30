import type { Webhook } from '@agent-herald/client';
import type { ReactNode } from 'react';
import { useSettings } from '../../api/settings.ts';
import { Facts } from '../../parts/facts.tsx';
import { Section } from '../../parts/section.tsx';
import { Block, Line } from '../../parts/untrusted.tsx';
import { When } from '../../parts/when.tsx';
import { PublicKeys } from './public-keys.tsx';
import { RetryLine } from './retry-line.tsx';

/** The configuration of a webhook. */
export function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { retrySchedule, tls, description } = webhook;
  const settings = useSettings();
  const waits = retrySchedule ?? settings?.retrySchedule;
  return (
    <Section title="Configuration">
      <Facts
        of={[
          ['URL', <Line key="url" text={webhook.url} />],
          ['Kind', webhook.kind],
          ['Events', <Line key="events" text={eventsOf(webhook)} />],
          ...(webhook.kind === 'resources' ? factsOfResources(webhook) : []),
          ['Rate', rateFact(webhook)],
          [
            'Retries',
            <>
              {retrySchedule === null && 'Default schedule'}
              {waits !== undefined && <RetryLine waits={waits} />}
            </>,
          ],
          ['Signatures', webhook.signatures.join(', ')],
          ...(webhook.cloudEvents ? [['CloudEvents', 'headers are sent'] as const] : []),
          ...(webhook.signatures.includes('v1a')
            ? [['Public keys', <PublicKeys key="keys" />] as const]
            : []),
          ['Extra headers', <Line key="sent" text={sentAlong(webhook)} />],
          ...(tls === null ? [] : [certificateFact(tls)]),
          ...(description === null ? [] : [descriptionFact(description)]),
          ...(webhook.metadata === null ? [] : [metadataFact(webhook.metadata)]),
          ['Updated', <When key="changed" at={webhook.updatedAt} />],
        ]}
      />
    </Section>
  );
}

type Fact = readonly [name: string, value: ReactNode];

function eventsOf({ kind, events, entities }: Webhook): string {
  if (events !== null) return events.join(', ');
  return kind === 'operations' ? 'all except revocations' : `all events of ${entities.join(', ')}`;
}

function factsOfResources({ externalTenantIds, filter, ordering }: Webhook): Fact[] {
  const shownFilter =
    filter === null ? 'none' : <Block label="Filter" text={JSON.stringify(filter, null, 2)} />;
  return [
    ['Tenants', <Line key="tenants" text={externalTenantIds?.join(', ') ?? 'all'} />],
    ['Filter', shownFilter],
    ['Order', ordering === 'resource' ? 'in order for each resource' : 'parallel'],
  ];
}

function rateFact({ ratePerSecond, ratePerSecondPerTenant }: Webhook): string {
  if (ratePerSecondPerTenant !== null)
    return `at most ${ratePerSecondPerTenant} per second for each tenant`;
  return ratePerSecond === null ? 'no limit' : `at most ${ratePerSecond} per second`;
}

function certificateFact({ subject, issuer, notAfter }: NonNullable<Webhook['tls']>): Fact {
  return [
    'Client certificate',
    <>
      <Line text={`${subject}, issued by ${issuer}`} />, valid until <When at={notAfter} />
    </>,
  ];
}

function descriptionFact(description: string): Fact {
  return ['Description', <Block key="description" label="Description" text={description} />];
}

function metadataFact(metadata: Record<string, string>): Fact {
  const lines = Object.entries(metadata).map(([name, value]) => `${name}: ${value}`);
  return ['Metadata', <Block key="metadata" label="Metadata" text={lines.join('\n')} />];
}

function sentAlong({ headers, auth }: Webhook): string {
  const parts = [...(headers ?? []), ...(auth === null ? [] : [`Authorization (${auth.type})`])];
  return parts.length === 0 ? 'none' : parts.join(', ');
}
