// The reader of Dockerfiles with which `npm run test:deploy -- image` takes the steps of ours.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseDockerfile } from '../../../dev/deploy/dockerfile.ts';

test('stages, copies, commands and settings are read, over several lines too', () => {
  const text = [
    '# A comment \\',
    'FROM node:22 AS build',
    'WORKDIR /app',
    'COPY a b c/',
    'RUN one \\',
    '  && two',
    'FROM node:22',
    'ENV A=1 \\',
    '  B=x=y',
    'COPY --from=build /app/dist dist',
    'CMD ["node", "dist/main.js"]',
    '',
  ].join('\n');
  expect(parseDockerfile(text)).toEqual([
    {
      name: 'build',
      env: {},
      steps: [
        { kind: 'copy', from: null, sources: ['a', 'b'], target: 'c/' },
        { kind: 'run', command: 'one && two' },
      ],
      command: [],
    },
    {
      name: null,
      env: { A: '1', B: 'x=y' },
      steps: [{ kind: 'copy', from: 'build', sources: ['/app/dist'], target: 'dist' }],
      command: ['node', 'dist/main.js'],
    },
  ]);
});

test('a step before the first stage is refused', () => {
  expect(() => parseDockerfile('RUN one\n')).toThrow('the Dockerfile begins with RUN');
});

test('every stage that ours copies from comes before', () => {
  const stages = parseDockerfile(readFileSync('Dockerfile', 'utf8'));
  const sources = stages.flatMap(({ steps }, n) => {
    const earlier = stages.slice(0, n).map(({ name }) => name);
    return steps.flatMap((step) =>
      step.kind === 'copy' && step.from !== null ? [{ from: step.from, earlier }] : [],
    );
  });
  expect(sources.length).toBeGreaterThan(0);
  for (const { from, earlier } of sources) expect(earlier).toContain(from);
});
