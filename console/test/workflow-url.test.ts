import { expect, test } from 'vitest';
import { workflowUrl } from '../src/parts/workflow-url.ts';

test('a workflow has a page where the address of Temporal’s UI is known', () => {
  const temporalNamespace = 'herald';
  const at = (temporalUiUrl: string | null) =>
    workflowUrl({ temporalUiUrl, temporalNamespace }, 'event/evt_1');
  const page = 'https://temporal.example.com/ui/namespaces/herald/workflows/event%2Fevt_1';
  expect(at('https://temporal.example.com/ui')).toBe(page);
  expect(at('https://temporal.example.com/ui/')).toBe(page);
  expect(at(null)).toBeNull();
});
