// Bytes that are not an HTTP request, or that two parsers could read as different requests.

/** A POST to the path /x with these header lines, followed by the bytes. */
const post = (headers: string[], rest: string, version = '1.1'): string =>
  [`POST /x HTTP/${version}`, 'host: x', 'connection: close', ...headers, '', rest].join('\r\n');
const chunked = 'transfer-encoding: chunked';
const oneChunk = '2\r\n{}\r\n0\r\n\r\n';

/** A name for each, and its bytes as Latin-1. */
export const malformedMessages: readonly [what: string, bytes: string][] = [
  ['text that is no HTTP', 'hello\r\n\r\n'],
  ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
  ['an unknown version', 'GET / HTTP/9.9\r\nhost: x\r\n\r\n'],
  ['a header without a colon', 'GET /healthz HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n'],
  ['a space before the colon', 'GET /healthz HTTP/1.1\r\nhost : x\r\n\r\n'],
  ['a folded header', 'GET /healthz HTTP/1.1\r\nhost: x\r\na: b\r\n c\r\n\r\n'],
  ['a bare line feed', 'GET /healthz HTTP/1.1\nhost: x\n\n'],
  ['a control character in a header', 'GET /healthz HTTP/1.1\r\nhost: x\r\na: b\u0000c\r\n\r\n'],
  [
    'both a length and chunks',
    'POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  [
    'two lengths',
    'POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabc',
  ],
  ['a negative length', 'POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
  ['a length in words', 'POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: many\r\n\r\n'],
  [
    'chunks that are not the last coding',
    'POST /x HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked, gzip\r\n\r\n',
  ],
  ['no host', 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ['two hosts', 'GET /healthz HTTP/1.1\r\nhost: x\r\nhost: y\r\nconnection: close\r\n\r\n'],
  [
    'a target that is no address',
    'GET http://[::1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  ],
  ['the same length twice', post(['content-length: 2', 'content-length: 2'], '{}')],
  ['a list of lengths', post(['content-length: 2, 2'], '{}')],
  ['a length with a sign', post(['content-length: +2'], '{}')],
  ['a length in hexadecimal', post(['content-length: 0x2'], '{}')],
  ['a length beyond 64 bits', post([`content-length: ${'9'.repeat(30)}`], '{}')],
  ['an empty length', post(['content-length:'], '')],
  ['chunks, and then a length', post([chunked, 'content-length: 2'], oneChunk)],
  ['a space before the colon of the coding', post(['transfer-encoding : chunked'], oneChunk)],
  ['a coding that only looks like chunks', post(['transfer-encoding: xchunked'], oneChunk)],
  ['a coding with a vertical tab', post(['transfer-encoding: \u000bchunked'], oneChunk)],
  ['the coding identity', post(['transfer-encoding: identity'], '{}')],
  ['chunks twice', post([chunked, chunked], oneChunk)],
  ['chunks of compressed data', post(['transfer-encoding: gzip, chunked'], oneChunk)],
  ['chunks in HTTP/1.0', post([chunked], oneChunk, '1.0')],
  ['a chunk of a negative size', post([chunked], '-2\r\n{}\r\n0\r\n\r\n')],
  ['a chunk whose size has a prefix', post([chunked], '0x2\r\n{}\r\n0\r\n\r\n')],
  ['a chunk beyond 64 bits', post([chunked], `${'f'.repeat(17)}\r\n{}\r\n0\r\n\r\n`)],
  ['a space behind the size of a chunk', post([chunked], '2 \r\n{}\r\n0\r\n\r\n')],
  ['chunks with bare line feeds', post([chunked], '2\n{}\n0\n\n')],
  ['a line feed in the extension of a chunk', post([chunked], '2;a\nx\r\n{}\r\n0\r\n\r\n')],
  ['20 KB of extension of a chunk', post([chunked], `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
  ['a bare carriage return in a header', 'GET / HTTP/1.1\r\nhost: x\r\na: b\rc: d\r\n\r\n'],
  ['bare carriage returns as line ends', 'GET / HTTP/1.1\rhost: x\r\r'],
  ['a space before the first header', 'GET / HTTP/1.1\r\n host: x\r\n\r\n'],
  ['a header without a name', 'GET / HTTP/1.1\r\nhost: x\r\n: b\r\n\r\n'],
  ['a space in the target', 'GET /a b HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['U+0000 in the target', 'GET /a\u0000b HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a target in Latin-1', 'GET /\u00e9 HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a request line without a version', 'GET /\r\n\r\n'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a host with a user', 'GET / HTTP/1.1\r\nhost: a@evil.example\r\nconnection: close\r\n\r\n'],
  ['a host with a path', 'GET / HTTP/1.1\r\nhost: a/b\r\nconnection: close\r\n\r\n'],
  ['a host with a space', 'GET / HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n'],
  [
    'a target with an impossible port',
    'GET http://x:99999999/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  ],
];
