// A process that starts MongoDB and Temporal, prints their process IDs, and then waits to be killed.
import { startMongodb } from '../../dev/servers/mongodb.ts';
import { startTemporalDevServer } from '../../dev/servers/temporal.ts';
import { quiet } from '../tools/servers/found-servers.ts';

const [mongod = '', temporal = '', folder = ''] = process.argv.slice(2);
const common = { port: 0, progress: quiet };
const servers = await Promise.all([
  startMongodb({ ...common, binary: mongod, dataDir: `${folder}/mongodb` }),
  startTemporalDevServer({
    ...common,
    binary: temporal,
    dataDir: `${folder}/temporal`,
    uiPort: 0,
    namespaces: ['herald'],
  }),
]);
process.stdout.write(`${servers.map(({ pid }) => pid).join(' ')}\n`);
