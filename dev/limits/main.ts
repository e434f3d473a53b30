// `npm run limits`: writes docs/limits.md from lib/limits.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import * as groups from '../../lib/limits.ts';
import { limitsPage } from './limits-page.ts';

writeFileSync('docs/limits.md', limitsPage(readFileSync('lib/limits.ts', 'utf8'), groups));
