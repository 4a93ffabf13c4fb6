/** Makefiles, and runners of tasks like make. */

export const runnerSettings = [/(?:^|\/)[jJ]ustfile$|(?:^|\/)Taskfile\.ya?ml$/];
