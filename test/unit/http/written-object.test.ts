// The object at a key of a JSON body, as it is written.
import { expect, test } from 'vitest';
import { writtenObject } from '../../../api/http/written-object.ts';

test.each([
  ['{}', '{"data":{}}'],
  ['{ "a" : 1 }', '{"event":"x","data":{ "a" : 1 }}'],
  ['{"a":{"b":[{}]}}', '{"data":{"a":{"b":[{}]}},"event":"x"}'],
  ['{"a":"}"}', '{"data":{"a":"}"}}'],
  [String.raw`{"a":"\"}{\\"}`, String.raw`{"data":{"a":"\"}{\\"}}`],
  ['{"data":{"data":1}}', '{"data":{"data":{"data":1}}}'],
  ['{"a":1}', '{"other":{"data":{}},"data":{"a":1}}'],
  ['{"a":1}', '{"other":[{"data":{}}],"data":{"a":1}}'],
  ['{"a":1}', '{"event":"data","data":{"a":1}}'],
  ['{"a":1}', '{"other":"\\"data\\":{}","data":{"a":1}}'],
  ['{"a":1}', String.raw`{"d\u0061ta":{"a":1}}`],
  ['{"a":1}', '\n{ "data" :\r\n\t{"a":1} } '],
])('%s is what %s has at data', (data, body) => {
  JSON.parse(body);
  expect(writtenObject(body, 'data')).toBe(data);
});

test.each(['{}', '{"data":[{}]}', '{"data":"{}"}', '{"other":{"data":{}}}', '{"x":["data",{}]}'])(
  '%s has no object at data',
  (body) => {
    expect(() => writtenObject(body, 'data')).toThrow('the body has no object data');
  },
);
