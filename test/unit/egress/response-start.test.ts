// Parsing a response that a strict parser rejects.
import { expect, test } from 'vitest';
import { ResponseStart } from '../../../lib/egress/response-start.ts';

/** Reads a response that arrives in pieces of any size. */
function read(text: string, pieceBytes = 7) {
  const start = new ResponseStart();
  for (let at = 0; at < text.length; at += pieceBytes) {
    start.add(Buffer.from(text.slice(at, at + pieceBytes), 'latin1'));
  }
  const { headers, body } = start.read();
  return { status: start.status(), headers, body: body.toString('latin1') };
}

test.each([
  ['HTTP/1.1 200 OK\r\n', 200],
  ['HTTP/1.1 200\n', 200],
  ['HTTP/1.1\t200\tOK\n', 200],
  ['HTTP/1.0  503   Busy\r\n', 503],
  ['HTTP/2 204\r\n', 204],
  ['\r\n\nHTTP/1.1 200 OK\r\n', 200],
  [`HTTP/1.1 200 ${'r'.repeat(100_000)}\n`, 200],
  ['HTTP/1.1 999 X\r\n', 999],
  ['HTTP/1.1 200 OK', null],
  ['HTTP/1.1 200 OK\r', null],
  ['\r\nHTTP/1.1 200 OK', null],
  ['HTTP/1.1 2000 OK\r\n', null],
  ['HTTP/1.1 20\r\n', null],
  ['HTTP/1.1 199 X\r\n', null],
  ['HTTP/1.1200 OK\r\n', null],
  ['HTTP 200 OK\r\n', null],
  ['http/1.1 200 OK\r\n', null],
  ['SIP/2.0 200 OK\r\n', null],
  ['200 OK\r\n', null],
  ['<html>HTTP/1.1 200 OK\r\n', null],
  ['', null],
])('%j has the status %s', (text, status) => {
  expect(read(text).status).toBe(status);
});

test('headers are read in spite of folded lines, blanks, repeats and lines without CR', () => {
  const { headers, body } = read(
    'HTTP/1.1 500 X\nRetry-After : 5\r\nX: a\r\n\tb\nretry-after: 6\n__proto__: x\nnone\n\nwhy\n\nmore',
  );
  expect(headers('retry-after')).toBe('5');
  expect(headers('x')).toBe('a b');
  expect(headers('location')).toBeNull();
  expect(body).toBe('why\n\nmore');
});

test.each([
  ['2\r\nok\r\n3\r\nyes\r\n0\r\n\r\n', 'okyes'],
  ['2  \r\nok\r\n0\r\n\r\n', 'ok'],
  ['2;a=b\nok\n0\n\n', 'ok'],
  ['9\r\nok', 'ok'],
  ['2\r\nokay\r\n0\r\n\r\n', 'ok'],
  ['no chunks', 'no chunks'],
  ['0\r\n\r\n', ''],
])('the chunks %j contain %j', (chunks, body) => {
  expect(read(`HTTP/1.1 500 X\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`).body).toBe(body);
});

test('no more than the headers and the sample of the body are kept', () => {
  const { body } = read(`HTTP/1.1 500 X\n\n${'x'.repeat(100_000)}`, 1_000);
  expect(body).toBe('x'.repeat(4_096));
});
