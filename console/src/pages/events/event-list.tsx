import { Page } from '../../parts/page.tsx';

export function EventList() {
  return <Page title="Events">…</Page>;
}
