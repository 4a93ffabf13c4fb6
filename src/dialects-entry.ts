export { foreignLoops } from './commands/foreign.ts';
