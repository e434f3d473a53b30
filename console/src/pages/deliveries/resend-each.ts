// Resends a limited number of deliveries, with one call per delivery.

export interface Failure<Row> {
  row: Row;
  error: unknown;
}

export interface Resent<Row> {
  failures: readonly Failure<Row>[];
  /** The rows that paused webhooks hold until they are resumed. */
  held: readonly Row[];
}

interface Resending<Row> {
  resend: (row: Row) => Promise<{ pausedWebhookUids: readonly string[] }>;
  onDone: (count: number) => void;
}

const concurrentCalls = 4;

/** Resends the rows, a few concurrently. A failure does not stop the others. */
export async function resendEach<Row>(
  rows: readonly Row[],
  { resend, onDone }: Resending<Row>,
): Promise<Resent<Row>> {
  const waiting = [...rows];
  const failures: Failure<Row>[] = [];
  const held: Row[] = [];
  let doneCount = 0;
  const work = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      try {
        const { pausedWebhookUids } = await resend(row);
        if (pausedWebhookUids.length > 0) held.push(row);
      } catch (error) {
        failures.push({ row, error });
      }
      doneCount += 1;
      onDone(doneCount);
    }
  };
  await Promise.all(Array.from({ length: concurrentCalls }, work));
  return { failures, held };
}
