// Called by `npm run build`.
import { writeWorkflowBundle } from './bundle-workflows.ts';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: write-bundle PATH');
await writeWorkflowBundle(path);
