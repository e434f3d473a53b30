// A bound of what callers share needs a share for each owner, written down in docs/security.md.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { described, limitGroups } from '../../../lib/limits.ts';

type GroupName = keyof typeof limitGroups;

/** Limits of one request, document, attempt, page, response or wait, and the service's own pace. */
const ofOneThing: Partial<Record<GroupName, string>> = {
  limits: `requestBytesMax credentialBytesMax payloadBytesMax tenantsPerWebhookMax headersPerWebhookMax webhookHeaderBytesMax usernameCharactersMax receiverPasswordCharactersMax bearerTokenCharactersMax clientCertificateCharactersMax clientCertificatesMax clientKeyCharactersMax metadataKeysMax metadataKeyCharactersMax metadataValueCharactersMax ratePerSecondMax filterPathsMax filterValuesMax filterPathDepthMax filterTextCharactersMax replayedPerSecondMax mentionsPerErasureMax attemptsKeptMax attemptTimeoutMs retryStepsMax retryWaitMsMin retryScheduleMsMax pageSizeDefault pageSizeMax pageBytesMax inFlightMsMax inFlightEventsMax inFlightPairsMax externalIdCharactersMax emailCharactersMax nameCharactersMax tenantCharactersMax tenantsFoundMax filterCharactersMax descriptionCharactersMax accountUidsMax accountsPerUserMax userTokenLifetimeMaxMs sessionIdleMs sessionLifetimeMs userAgentCharactersMax authTokenCharactersMax`,
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

const namesOf = (group: GroupName): string[] => Object.keys(limitGroups[group][described].rows);
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
