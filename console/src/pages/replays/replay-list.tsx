import { Page } from '../../parts/page.tsx';

export function ReplayList() {
  return <Page title="Replays">…</Page>;
}
