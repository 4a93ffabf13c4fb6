/** The bundle of `untildone dashboard`. */
export { dashboard } from '../dashboard/command.ts';
