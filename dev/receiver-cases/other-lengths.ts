// Bodies of another length than was sent. Something on the receiver's side read or changed them.
import { agentBody, agentEvent, type Draft } from './draft.ts';

const lengthOf = (body: string) => String(Buffer.byteLength(body));
const told = (length: string) => (all: Record<string, string>) => ({
  ...all,
  'Content-Length': length,
});
const arrivals: Draft[] = (
  [
    ['the body was read before the receiver', '', lengthOf(agentBody), 'body_already_read'],
    ['part of the body was read', agentBody.slice(9), lengthOf(agentBody), 'body_already_read'],
    [
      'the body was re-serialised to another length',
      JSON.stringify(agentEvent, null, 2),
      lengthOf(agentBody),
      'body_already_read',
    ],
    ['the body is empty, and its length matches', '', '0', 'signature_mismatch'],
    ['another body, and its length matches', '{}', '2', 'signature_mismatch'],
    ['another body, and an invalid length', '{}', '0x2', 'signature_mismatch'],
    ['another body, and a length that was sent twice', '{}', '250, 250', 'signature_mismatch'],
  ] satisfies [string, string, string, Draft['expect']][]
).map(([name, arrives, length, expect]) => ({ name, arrives, alter: told(length), expect }));

export const otherLengths: readonly Draft[] = [
  ...arrivals,
  ...arrivals.map((draft): Draft => ({
    ...draft,
    name: `body only: ${draft.name}`,
    scheme: 'body-only',
  })),
];
