import { Page } from '../../parts/page.tsx';
export function AppList() {
  return <Page title="Applications">…</Page>;
}
