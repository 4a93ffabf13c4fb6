/**
 * The bundle that looks back: it reads transcripts for `audit`. It runs in worker threads, too, where it only serves the tasks
 * that the main thread shares out.
 */
import { serveTasks } from '../reflect/reading/share-out.ts';

serveTasks({});
