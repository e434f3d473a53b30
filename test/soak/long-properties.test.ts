// Tests of `npm test` that are worth ten times the runs: random DNS, hosts and bytes, a storm of sign-ins, an event to
// a thousand webhooks, interleavings of a sync.
import '../faults/sign-in-storm.test.ts';
import '../faults/fan-out.test.ts';
import '../integration/egress/egress-properties.test.ts';
import '../integration/egress/strange-answers.test.ts';
import '../integration/jobs/sync-model.test.ts';
