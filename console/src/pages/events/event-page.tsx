import { Page } from '../../parts/page.tsx';

export function EventPage() {
  return <Page title="Event">…</Page>;
}
