/**
 * The seal of what machines of a fleet tell each other by the store. Its key is made of the fleet's secret, for this purpose
 * alone: operators and workers have it. The process of a run, and so its session, has another one (`keyOfRun`).
 */
import { hmacSha256 } from '../../engine/files/digest.ts';
import { storable } from '../queue/storable.ts';

/** `purpose` names what is sealed and what it is about: a seal for one run fits no other. */
export class Seals {
  readonly #key: string;

  constructor(secret: string) {
    this.#key = hmacSha256(secret, 'key of what operators and workers tell each other');
  }

  /** The value that was given, with its seal. */
  sealed<T extends object>(value: T, purpose: string): T & { seal: string } {
    // What comes back from a store has no NUL, and no fields without a value.
    const kept = JSON.parse(storable({ ...value, seal: undefined })) as T;
    return { ...kept, seal: this.of(kept, purpose) };
  }

  fits(value: { seal?: unknown }, purpose: string): boolean {
    const { seal, ...rest } = value;
    return typeof seal === 'string' && seal === this.of(rest, purpose);
  }

  of(value: unknown, purpose: string): string {
    return hmacSha256(this.#key, `${purpose}\n${canonical(value)}`);
  }

  /** Words that are stored as a text: the seal follows them. */
  sealedWords(words: string, purpose: string): string {
    return `${words}${MARK}${this.of(words, purpose).slice(0, SHORT)}`;
  }

  /** The words without their seal; undefined where it does not fit. */
  words(text: string, purpose: string): string | undefined {
    const at = text.length - MARK.length - SHORT;
    const words = text.slice(0, Math.max(0, at));
    const seal = this.of(words, purpose).slice(0, SHORT);
    return at >= 0 && text.slice(at) === `${MARK}${seal}` ? words : undefined;
  }
}

const MARK = ' #';
const SHORT = 32;

/** JSON whose fields are in order: a store may keep them in another one. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
