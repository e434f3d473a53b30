// The limits: all are on their page, a bound of what callers share has a share for each owner (docs/security.md), and what is
// left of a limit by the time is what it says.
import { readFile } from 'node:fs/promises';
import { array, assert, integer, nat, property, record } from 'fast-check';
import { standingOf, windowOf } from '../../../api/access/sliding-count.ts';
import { withUnit } from '../../../dev/limits/limits-page.ts';
import * as exported from '../../../lib/limits.ts';

const { limitGroups } = exported;

test('all groups of lib/limits.ts are on the page', () => {
  const { limitGroups: onPage, described: _, ...all } = exported;
  expect(all).toEqual(onPage);
});

test.each([
  ['bodyBytesMax', 2 * 1_024 ** 2, '2 MiB'],
  ['bodyBytesMax', 1_025, '1,025 bytes'],
  ['waitMsMax', 90_000, '90 s'],
  ['lifetimeMs', 43_200_000, '12 h'],
  ['nameCharactersMax', 4_000, '4,000 characters'],
  ['replayedPerSecondMax', 100, '100 a second'],
  ['itemsMax', 10_000, '10,000'],
])('%s of %d is shown as %s', (name, value, shown) => {
  expect(withUnit(name, value)).toBe(shown);
});

type GroupName = keyof typeof limitGroups;

/** Limits of one request, document, attempt, page, response or wait, and the service's own pace. */
const ofOneThing: Partial<Record<GroupName, string>> = {
  limits: `requestBytesMax credentialBytesMax payloadBytesMax tenantsPerWebhookMax headersPerWebhookMax webhookHeaderBytesMax usernameCharactersMax receiverPasswordCharactersMax bearerTokenCharactersMax clientCertificateCharactersMax clientCertificatesMax clientKeyCharactersMax metadataKeysMax metadataKeyCharactersMax metadataValueCharactersMax ratePerSecondMax filterPathsMax filterValuesMax filterPathDepthMax filterTextCharactersMax replayedPerSecondMax mentionsPerErasureMax attemptsKeptMax attemptTimeoutMs retryStepsMax retryWaitMsMin retryScheduleMsMax pageSizeDefault pageSizeMax pageBytesMax inFlightMsMax inFlightEventsMax inFlightPairsMax externalIdCharactersMax emailCharactersMax nameCharactersMax tenantCharactersMax tenantsFoundMax filterCharactersMax descriptionCharactersMax accountUidsMax accountsPerUserMax originsPerAppMax originCharactersMax originsBytesMax userTokenLifetimeMinMs userTokenLifetimeMaxMs sessionIdleMs sessionLifetimeMs userAgentCharactersMax authTokenCharactersMax`,
  httpLimits: `headerBytesMax headersTimeoutMs requestTimeoutMs keepAliveTimeoutMs idleTimeoutMs authenticationTimeoutMs responseTimeoutMs handlingMsMin`,
  dispatchLimits: `ownWorkflowBelow idsPerSearchAttributeMax deliveriesPerWorkflowMax workflowTaskTimeoutMs relayEveryMs relayBackoffMsMax`,
  attemptLimits: `firstActivitiesMax deliveriesShownMax attemptsShownMax callTimeoutMs retriesTimeoutMs firstAttemptClaimMs permitWaitMsMax factsFreshMs rateWaitMsMax overdueAfterMs orderStepTimeoutMs partitionLeaseMs`,
  jobLimits: `pageEveryMs pageTimeoutMs releasedPerSecondDefault countedDeliveriesMax countedEventsMax countingMsMax erasureSecondPassAfterMs`,
  streamLimits: `buffersBytesMax heartbeatEveryMs callerCheckEveryMs endReasonMs resumedExactlyMsMax resumingMsMax lateCommitMsMax storedPageSizeMax storedPageBytesMax`,
  egressLimits: `headerBytesMax bodyBytesReadMax wireBytesReadMax responseSampleBytesMax responseHeaderBytesMax idleMsMax connectionAgeMsMax`,
  traceLimits: `sameTraceMsMax`,
  processLimits: `mongoHeartbeatMs clockAheadMsMax transactionBeginsMsMax stopTimeoutMs requestsCutAfterMs attemptsCutAfterMs`,
};
/** Sized by the service: it counts its own minutes. */
const own: readonly GroupName[] = ['statisticsLimits'];

async function listed(): Promise<Set<string>> {
  const page = await readFile('docs/security.md', 'utf8');
  const [, section = ''] = page.split('## What callers size: shares\n');
  const table = section.split('\n## ')[0] ?? '';
  return new Set([...table.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

const namesOf = (group: GroupName): string[] =>
  Object.keys(limitGroups[group][exported.described].rows);
const single = (group: GroupName): string[] => ofOneThing[group]?.split(/\s+/) ?? [];
const groups = (Object.keys(limitGroups) as GroupName[]).filter((group) => !own.includes(group));

test.each(groups)(
  'each limit of %s bounds one thing, or has its share in the table',
  async (group) => {
    const table = await listed();
    const unknown = namesOf(group).filter(
      (name) => !single(group).includes(name) && !table.has(name),
    );
    expect(unknown).toEqual([]);
  },
);

test.each(groups)('no limit of %s is both or gone', async (group) => {
  const table = await listed();
  const names = namesOf(group);
  expect(single(group).filter((name) => !names.includes(name))).toEqual([]);
  // This name is in two groups.
  const both = single(group).filter((name) => table.has(name) && name !== 'permitWaitMsMax');
  expect(both).toEqual([]);
});

const limit = { name: 'test', countMax: 10, windowMs: 60_000 };
const start = 60_000 * 1_000;

test.each([
  // previous, current, milliseconds into the window, remaining, reset
  [0, 0, 0, 10, 60],
  [0, 9, 0, 1, 60],
  [0, 10, 0, 0, 66],
  [0, 20, 0, 0, 93],
  [10, 0, 0, 0, 6],
  [10, 0, 5_999, 0, 1],
  [10, 0, 6_000, 1, 54],
  [10, 4, 30_000, 1, 30],
  [10, 5, 30_000, 0, 6],
])(
  'with counts of %d and %d, %d ms into the window, %d are left, and the reset is in %d s',
  (...row) => {
    const [previous, current, elapsedMs, remaining, resetSeconds] = row;
    const standing = standingOf(limit, { previous, current }, start + elapsedMs);
    expect(standing).toEqual({ isOver: remaining === 0, remaining, resetSeconds });
  },
);

test('a caller that waits for the returned time without a call is allowed again', () => {
  const counts = record({ previous: nat(50), current: nat(50) });
  assert(
    property(counts, integer({ min: 0, max: 59_999 }), (known, elapsedMs) => {
      const nowMs = start + elapsedMs;
      const { isOver, resetSeconds } = standingOf(limit, known, nowMs);
      if (!isOver) return;
      const thenMs = nowMs + resetSeconds * 1_000;
      const turned = windowOf(thenMs, limit) - windowOf(nowMs, limit);
      const then =
        turned === 0 ? known : { previous: turned === 1 ? known.current : 0, current: 0 };
      expect(standingOf(limit, then, thenMs).isOver).toBe(false);
    }),
    // A third of the previous window is not a finite fraction.
    { examples: [[{ previous: 0, current: 27 }, 0]], numRuns: 2_000 },
  );
});

test('no period as long as a window contains twice the limit', () => {
  const steps = array(integer({ min: 1, max: 20_000 }), { maxLength: 200 });
  assert(
    property(steps, (waitsMs) => {
      const taken: number[] = [];
      let nowMs = start;
      for (const waitedMs of waitsMs) {
        nowMs += waitedMs;
        const window = windowOf(nowMs, limit);
        const inWindow = (of: number): number =>
          taken.filter((at) => windowOf(at, limit) === of).length;
        const known = { previous: inWindow(window - 1), current: inWindow(window) };
        if (!standingOf(limit, known, nowMs).isOver) taken.push(nowMs);
      }
      // The previous window is assumed to be spread evenly, which it need not be.
      for (const end of taken) {
        const held = taken.filter((at) => at > end - limit.windowMs && at <= end).length;
        expect(held).toBeLessThan(2 * limit.countMax);
      }
    }),
  );
});
