import { Page } from '../../parts/page.tsx';

export function DeliveryPage() {
  return <Page title="Delivery">…</Page>;
}
