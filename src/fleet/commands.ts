/** All that the commands for many machines do: what `untildone submit`, `untildone fleet` and `untildone worker` do. */
export { checkoutHere } from './operate/checkout.ts';
export { runLog, waitForRuns } from './operate/follow.ts';
export { fleetStatus, listRuns, showRun, stateNamed } from './operate/look.ts';
export { openFleet, secretHere } from './operate/open.ts';
export { prunable, pruneRun } from './operate/prune.ts';
export { reconcile } from './operate/reconcile.ts';
export { retryRun } from './operate/retry.ts';
export { listSchedules, scheduleIdOf, scheduleRuns, unschedule } from './operate/schedules.ts';
export { askOfRun, cancelRun, drainWorkers, removeDead } from './operate/steer.ts';
export { submit } from './operate/submit.ts';
export { scheduleView } from './operate/views.ts';
export { repoUrl } from './remote/repo-url.ts';
