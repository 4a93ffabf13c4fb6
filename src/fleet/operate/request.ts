/** What is asked for when runs are submitted: by the command, and by a schedule each time that it is due. */
import type { RunSpec } from '../../engine/core/fleet/spec.ts';

export interface SubmitRequest
  extends Omit<RunSpec, 'v' | 'run' | 'commit' | 'features' | 'submittedAt' | 'again'> {
  /** The name of the contract file that was brought along, for messages. */
  contractFile?: string;
  /** A feature list of the repository. */
  features?: string;
  /** One run for each feature that is open, and one that joins them. */
  each?: boolean;
  /** So many runs of the same. */
  count?: number;
}
