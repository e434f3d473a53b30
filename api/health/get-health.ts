// GET /healthz: the process runs. It asks nobody else, so a server's outage restarts no process.
import { version } from '../../lib/version.ts';
import type { Handler } from '../http/router.ts';

export const getHealth: Handler = async () => ({ status: 200, body: { status: 'ok', version } });
