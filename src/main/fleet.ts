/** The bundle for many machines: what `untildone submit`, `untildone fleet` and `untildone worker` do. */
export { checkoutHere } from '../fleet/operate/checkout.ts';
export { runLog, waitForRuns } from '../fleet/operate/follow.ts';
export { fleetStatus, listRuns, showRun, stateNamed } from '../fleet/operate/look.ts';
export { openFleet, secretHere } from '../fleet/operate/open.ts';
export { prunable, pruneRun } from '../fleet/operate/prune.ts';
export { reconcile } from '../fleet/operate/reconcile.ts';
export { retryRun } from '../fleet/operate/retry.ts';
export { listSchedules, scheduleIdOf, scheduleRuns, unschedule } from '../fleet/operate/schedules.ts';
export { askOfRun, cancelRun, drainWorkers, removeDead } from '../fleet/operate/steer.ts';
export { submit } from '../fleet/operate/submit.ts';
export { scheduleView } from '../fleet/operate/views.ts';
export { repoUrl } from '../fleet/truth/repo-url.ts';
export { worker } from '../fleet/worker/start-worker.ts';
