// Tests of `npm test` that are worth ten times as much: random DNS, hosts and bytes, a storm of sign-ins,
// an event to a thousand webhooks.
import '../integration/api/sign-in-storm.test.ts';
import '../integration/deliveries/fan-out.test.ts';
import '../integration/egress/egress-properties.test.ts';
import '../integration/egress/strange-answers.test.ts';
