// Writes the pages that are made of the program: node scripts/run.mjs scripts/docs.ts
import { writeFileSync } from 'node:fs';
import { buildCli } from '../src/cli/cli.ts';
import { commandsPage } from './commands-page.ts';

writeFileSync('docs/reference/commands.md', commandsPage(buildCli()));
