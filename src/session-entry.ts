export { openSession } from './commands/session.ts';
