export { openJudges, saveReceipt } from './commands/judges.ts';
