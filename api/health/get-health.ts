// GET /healthz: the process runs. It asks nobody else, so a server's outage restarts no process.
import { version } from '../../lib/platform/version.ts';
import type { Handler } from '../router.ts';

export const getHealth: Handler = async () => ({ status: 200, body: { status: 'ok', version } });
