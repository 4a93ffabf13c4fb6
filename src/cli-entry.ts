import { main } from './commands/cli.ts';

void main(process.argv);
