import { Page } from '../../parts/page.tsx';

export function ErasureList() {
  return <Page title="Erasures">…</Page>;
}
