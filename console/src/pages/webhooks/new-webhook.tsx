import { Page } from '../../parts/page.tsx';

export function NewWebhook() {
  return <Page title="Create a webhook">…</Page>;
}
