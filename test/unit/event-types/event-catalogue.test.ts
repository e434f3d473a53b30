// The catalogue of events: its samples against its schemas.
import { expect, test } from 'vitest';
import { eventTypesOf } from '../../../api/event-types/event-catalogue.ts';
import { deliveredEventNames, operationsEventNames } from '../../../lib/model/event-name.ts';
import { writeNoticeMail } from '../../../lib/webhooks/notice-mail.ts';
import { payloadFaults } from '../../support/payload-schema.ts';

type Payload = { event: string; appUid: string; data: Record<string, unknown> };

const types = eventTypesOf('app_1');
const sampleOf = (event: string): Payload =>
  structuredClone(types.find((each) => each.event === event)?.sample as Payload);

test('every event has a description, a schema and a sample of the application', () => {
  expect(types.map(({ event }) => event)).toEqual(deliveredEventNames);
  for (const { event, description, schema } of types) {
    expect(description).not.toBe('');
    expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(sampleOf(event)).toMatchObject({ event, appUid: 'app_1', version: 1 });
  }
});

test.each(deliveredEventNames)('the sample of %s is valid', (event) => {
  expect(payloadFaults(sampleOf(event))).toEqual([]);
  expect(payloadFaults({ ...sampleOf(event), test: true } as Payload)).toEqual([]);
});

test.each(deliveredEventNames)(
  'a payload of %s without uid or with another type is not',
  (event) => {
    const { uid, ...data } = sampleOf(event).data;
    expect(uid).toEqual(expect.any(String));
    const without: Payload = { ...sampleOf(event), data };
    expect(payloadFaults(without)).toHaveLength(1);
    const wrong = { ...sampleOf(event), data: { ...data, uid: 7 } };
    expect(payloadFaults(wrong)).toHaveLength(1);
    const isReal = { ...sampleOf(event), test: false };
    expect(payloadFaults(isReal)).toHaveLength(1);
  },
);

test.each(operationsEventNames)('the mail of a sample of %s says that it is a test', (event) => {
  const sample = sampleOf(event);
  const mail = writeNoticeMail(JSON.stringify({ ...sample, test: true }), 'https://h.example.com');
  expect(mail.subject).toContain(`test of ${event}`);
  expect(mail.text).toContain('This is a test');
  const real = writeNoticeMail(JSON.stringify(sample), 'https://h.example.com');
  expect(real.subject).not.toContain('test of');
  expect(real.text).not.toContain('This is a test');
});
