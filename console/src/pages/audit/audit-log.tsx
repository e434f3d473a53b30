import { Page } from '../../parts/page.tsx';

export function AuditLog() {
  return <Page title="Audit log">…</Page>;
}
