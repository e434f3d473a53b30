// Resends a bounded number of deliveries, each by a call of its own.

export interface Failure<Row> {
  row: Row;
  error: unknown;
}

interface Resending<Row> {
  resend: (row: Row) => Promise<unknown>;
  onDone: (count: number) => void;
}

const callsAtOnce = 4;

/** Resends each row, a few at a time; one that fails does not stop the others. */
export async function resendEach<Row>(
  rows: readonly Row[],
  { resend, onDone }: Resending<Row>,
): Promise<Failure<Row>[]> {
  const waiting = [...rows];
  const failures: Failure<Row>[] = [];
  let doneCount = 0;
  const work = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      try {
        await resend(row);
      } catch (error) {
        failures.push({ row, error });
      }
      doneCount += 1;
      onDone(doneCount);
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, work));
  return failures;
}
