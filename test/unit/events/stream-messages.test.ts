// What a reader of the stream gets for an event.
import { expect, test } from 'vitest';
import { renderEvent } from '../../../api/events/stream-messages.ts';
import { newEvent } from '../../support/fixtures.ts';

const app = { appUid: 'app_1', accountUid: 'acc_1', apiKey: '' };
const at = new Date('2026-01-01');
const event = newEvent({ app }, [], at);
const position = { reachedAt: at, token: null };

test('the payload is sent as it is stored, and is not written anew', () => {
  const body = '{"eventId":"evt_1","data":{"list":[1, 2.0]}}';
  const message = renderEvent({ ...event, body }, position);
  expect(message).toMatch(/^id: \w+\ndata: .*\n\n$/);
  expect(message).toContain(`"payload":${body}}`);
  const data = JSON.parse(message.split('data: ')[1] ?? '') as unknown;
  expect(data).toMatchObject({ eventId: event._id, payload: { data: { list: [1, 2] } } });
});

test('a payload with line breaks is also sent as a string, in a field that other clients ignore', () => {
  const body = '{"eventId":"evt_1","data":{\r\n"list":\n[1.0,\r-0]}}';
  const [, written, data, ...rest] = renderEvent({ ...event, body }, position).split('\n');
  expect(written).toBe(`payload: ${JSON.stringify(body)}`);
  expect(data).toContain('"payload":{"eventId":"evt_1","data":{  "list": [1.0, -0]}}}');
  expect(rest).toEqual(['', '']);
});

test('the payload of an erased event is null, also while its body is still there', () => {
  const message = renderEvent({ ...event, body: '{"data":{}}', erasedAt: at }, position);
  expect(message).toContain('"payload":null}');
});
