// Correctly signed deliveries whose body a receiver refuses.
import { agentBody, agentEvent, casesOf, type Draft, eventId, nowSeconds } from './draft.ts';

const { data, ...envelope } = agentEvent;
const bodies: Draft[] = (
  [
    ['empty', ''],
    ['no JSON', 'eventId=evt_1'],
    ['cut off', agentBody.slice(0, -1)],
    ['followed by more', `${agentBody}{}`],
    ['with a trailing comma', `${agentBody.slice(0, -1)},}`],
    ['with NaN', agentBody.replace('"version":1', '"version":1,"n":NaN')],
    ['with a byte order mark', `\uFEFF${agentBody}`],
    ['not UTF-8', Buffer.from(agentBody.replace('tenant-1', 'tenant-é'), 'latin1')],
    ['null', 'null'],
    ['a list', `[${agentBody}]`],
    ['a text', JSON.stringify(agentBody)],
    ['nested and never closed', { before: '', text: '[', times: 20_000, after: '' }],
    ...['eventId', 'event', 'timestamp', 'appUid', 'version', 'data'].flatMap(
      (field): [string, string][] => [
        [`without ${field}`, JSON.stringify({ ...agentEvent, [field]: undefined })],
        [`with null as ${field}`, JSON.stringify({ ...agentEvent, [field]: null })],
      ],
    ),
    ['with a key in another case', agentBody.replace('eventId', 'eventID')],
    ['with an empty eventId', JSON.stringify({ ...agentEvent, eventId: '' })],
    ['with a number as eventId', JSON.stringify({ ...agentEvent, eventId: 7 })],
    ['with a list as event', JSON.stringify({ ...agentEvent, event: ['agent.updated'] })],
    ['with a number as timestamp', JSON.stringify({ ...agentEvent, timestamp: nowSeconds })],
    ['with true as version', JSON.stringify({ ...agentEvent, version: true })],
    ['with version 0', JSON.stringify({ ...agentEvent, version: 0 })],
    ['with a fractional version', JSON.stringify({ ...agentEvent, version: 1.5 })],
    ['with an infinite version', agentBody.replace('"version":1', '"version":1e400')],
    ['with a list as data', JSON.stringify({ ...agentEvent, data: [data] })],
    ['with data without uid', JSON.stringify({ ...envelope, data: { externalTenantId: 't' } })],
    ['with a number as data.uid', JSON.stringify({ ...envelope, data: { ...data, uid: 1 } })],
  ] satisfies [string, NonNullable<Draft['body']>][]
).map(([what, body]) => ({ name: `signed body: ${what}`, body, expect: 'invalid_body' }));

const ids = casesOf('event_id_mismatch', {
  'the eventId of the body is not webhook-id': { id: 'evt_01another00000000000000000' },
  'the eventId of the body differs from webhook-id in case': { id: eventId.toUpperCase() },
});

export const hostileBodies: readonly Draft[] = [...bodies, ...ids];
