import { Page } from '../../parts/page.tsx';

export function LiveEvents() {
  return <Page title="Live events">…</Page>;
}
