import { Page } from '../../parts/page.tsx';

export function ReplayPage() {
  return <Page title="Replay">…</Page>;
}
