import { expect, test } from 'vitest';
import { traceUrl } from '../src/parts/trace-url.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';

test.each([
  [
    'https://jaeger.example.com/trace/{traceId}',
    traceId,
    `https://jaeger.example.com/trace/${traceId}`,
  ],
  [
    'http://localhost:3000/explore?t={traceId}&o=1',
    traceId,
    `http://localhost:3000/explore?t=${traceId}&o=1`,
  ],
  [null, traceId, null],
  ['javascript:alert("{traceId}")', traceId, null],
  ['https://jaeger.example.com/trace/{traceId}', '../admin', null],
])('with %s the trace %s has the page %s', (traceUrlTemplate, id, page) => {
  expect(traceUrl({ traceUrlTemplate }, id)).toBe(page);
});
