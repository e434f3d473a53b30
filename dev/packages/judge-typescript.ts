// Prints the result of packages/receiver-ts for each case, as JSON keyed by the name of the case.
import { Verifier, WebhookRefused } from '../../packages/receiver-ts/src/index.ts';
import { bodyOf, type ReceiverCase, receiverCases } from '../../test/support/receiver-cases.ts';

async function judge(one: ReceiverCase): Promise<object> {
  const { secrets, publicKeys, webhookUid, scheme, toleranceSeconds, nowSeconds, headers } = one;
  const now = () => nowSeconds * 1_000;
  try {
    const keys = { secrets, publicKeys, webhookUid };
    const verifier = new Verifier({ ...keys, scheme, toleranceSeconds, now });
    const { event, isTest, ...counts } = await verifier.verify({
      headers,
      body: bodyOf(one),
    });
    return {
      ok: true,
      eventId: event.eventId,
      event: event.event,
      ...counts,
      test: isTest,
    };
  } catch (error) {
    if (error instanceof WebhookRefused) return { ok: false, code: error.code };
    throw error;
  }
}

const verdicts: Record<string, object> = {};
for (const one of receiverCases.deliveries) verdicts[one.name] = await judge(one);
process.stdout.write(JSON.stringify(verdicts));
