// Tests of `npm test` that are worth ten times as much: random DNS, hosts and bytes, a storm of sign-ins,
// an event to a thousand webhooks.
import '../integration/api/sign-in-storm.test.ts';
import '../integration/delivery/fan-out.test.ts';
import '../integration/net/egress-properties.test.ts';
import '../integration/net/strange-answers.test.ts';
