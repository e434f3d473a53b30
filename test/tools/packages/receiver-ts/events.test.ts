// The types of events match those of the service.
import { expect, expectTypeOf, test } from 'vitest';
import type {
  RevocationData as RevocationOfService,
  Serialized,
} from '../../../../lib/model/event-payload.ts';
import type {
  AgentData as AgentOfService,
  ContextFileData as ContextFileOfService,
} from '../../../../lib/model/resource-data.ts';
import type { WebhookNotice } from '../../../../lib/webhooks/notices.ts';
import {
  type AgentData,
  type ContextFileData,
  isKnownEvent,
  type KnownEvent,
  type RevocationData,
  resourceOf,
  type WebhookEvent,
  type WebhookNoticeData,
} from '../../../../packages/receiver-ts/src/index.ts';
import { receiverCases } from '../../../support/receiver-cases.ts';

const event: WebhookEvent = {
  eventId: 'evt_1',
  event: 'agent.updated',
  timestamp: '2026-01-01T12:00:00.000Z',
  appUid: 'app_1',
  version: 1,
  data: { uid: '1', externalTenantId: 'tenant-1' },
};

test('the types take what the service sends', () => {
  expectTypeOf<Serialized<AgentOfService>>().toExtend<AgentData>();
  expectTypeOf<Serialized<ContextFileOfService>>().toExtend<ContextFileData>();
  expectTypeOf<Serialized<WebhookNotice>>().toExtend<WebhookNoticeData>();
  expectTypeOf<Serialized<RevocationOfService>>().toEqualTypeOf<RevocationData>();
});

test('the name of a known event narrows the type of its data', () => {
  const nameOf = (known: KnownEvent): string => {
    if (known.event === 'agent.updated') return known.data.agentName;
    return known.event === 'contextfile.created' ? known.data.fileName : '';
  };
  expectTypeOf(nameOf).returns.toBeString();
  expect(isKnownEvent(event)).toBe(true);
});

test('a newer event or version is not known', () => {
  expect(isKnownEvent({ ...event, event: 'agent.archived' })).toBe(false);
  expect(isKnownEvent({ ...event, version: 2 })).toBe(false);
});

test('every event of the service is known', () => {
  const samples = receiverCases.deliveries.filter(({ name }) => name.startsWith('the sample of'));
  expect(samples).toHaveLength(18);
  for (const { bodyBase64 = '' } of samples) {
    const sample = JSON.parse(Buffer.from(bodyBase64, 'base64').toString()) as WebhookEvent;
    expect(isKnownEvent(sample)).toBe(true);
  }
});

test('a resource is its kind together with its uid', () => {
  expect(resourceOf(event)).toBe('agent/1');
  expect(resourceOf({ ...event, event: 'context.deleted' })).toBe('context/1');
});
