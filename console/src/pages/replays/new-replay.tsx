import { Page } from '../../parts/page.tsx';

export function NewReplay() {
  return <Page title="Start a replay">…</Page>;
}
