/** One session of Claude Code on the disk: its transcript and those of its subagents. */
export interface SessionFiles {
  /** The folder in `projects`, whose name Claude Code makes of the path of the project. */
  folder: string;
  session: string;
  transcript: string;
  /** Transcripts of subagents, oldest first. */
  subagents: string[];
  /** Of all of them together. */
  bytes: number;
  /** When the youngest of them was last written. */
  modified: number;
}
