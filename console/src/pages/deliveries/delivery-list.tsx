import { Page } from '../../parts/page.tsx';

export function DeliveryList() {
  return <Page title="Deliveries">…</Page>;
}
