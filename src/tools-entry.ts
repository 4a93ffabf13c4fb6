export { openTools } from './commands/tools.ts';
