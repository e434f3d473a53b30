import { Page } from '../../parts/page.tsx';

export function AccountList() {
  return <Page title="Accounts">…</Page>;
}
