import { describe, expect, test } from 'vitest';
import { chooseJobs, type UnfinishedJob } from '../../../lib/jobs/job-turns.ts';
import { jobLimits } from '../../../lib/limits.ts';

const { runningPerKindMax } = jobLimits;
let uids = 0;
const job = (
  state: UnfinishedJob['state'],
  kind: UnfinishedJob['kind'],
  webhookUids: string[] = [`whk_${(uids += 1)}`],
): UnfinishedJob => ({ _id: `job_${(uids += 1)}`, state, kind, webhookUids });

const running = (kind: UnfinishedJob['kind'], webhookUids?: string[]): UnfinishedJob =>
  job('running', kind, webhookUids);
const waiting = (kind: UnfinishedJob['kind'], webhookUids?: string[]): UnfinishedJob =>
  job('waiting', kind, webhookUids);

describe('a waiting job', () => {
  test.each([
    { beside: 'nothing', others: [], may: true },
    { beside: 'a replay of another webhook', others: [running('replay', ['b'])], may: true },
    { beside: 'a replay of its webhook', others: [running('replay', ['a'])], may: false },
    { beside: 'a sync of its webhook', others: [running('sync', ['a'])], may: false },
    { beside: 'an application replay', others: [running('replay', ['b', 'a'])], may: false },
    { beside: 'an erasure', others: [running('erasure', [])], may: true },
    {
      beside: 'one less than the maximum of its kind',
      others: Array.from({ length: runningPerKindMax - 1 }, () => running('replay')),
      may: true,
    },
    {
      beside: 'the maximum of its kind',
      others: Array.from({ length: runningPerKindMax }, () => running('replay')),
      may: false,
    },
    {
      beside: 'the maximum of another kind',
      others: Array.from({ length: runningPerKindMax }, () => running('sync')),
      may: true,
    },
  ])('beside $beside may begin: $may', ({ others, may }) => {
    const own = waiting('replay', ['a']);
    expect(chooseJobs([...others, own])).toEqual(may ? [own._id] : []);
  });
});

test('of two waiting jobs of a webhook, the older begins', () => {
  const [first, second] = [waiting('replay', ['a']), waiting('sync', ['a'])];
  expect(chooseJobs([first, second])).toEqual([first._id]);
});

test('a job does not overtake an older one that waits for one of its webhooks', () => {
  const jobs = [running('replay', ['a']), waiting('replay', ['a', 'b']), waiting('sync', ['b'])];
  expect(chooseJobs(jobs)).toEqual([]);
});

test('as many waiting jobs begin as there is room for', () => {
  const jobs = Array.from({ length: runningPerKindMax + 1 }, () => waiting('erasure', []));
  expect(chooseJobs(jobs)).toEqual(jobs.slice(0, runningPerKindMax).map(({ _id }) => _id));
});
