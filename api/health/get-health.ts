// GET /healthz: the process runs. Without checks, so that an outage restarts no process.
import { version } from '../../lib/platform/version.ts';
import type { Handler } from '../router.ts';

export const getHealth: Handler = async () => ({ status: 200, body: { status: 'ok', version } });
