/** What stands behind one line of the journal: the reason, the verdicts, what changed. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DiffFile, DiffView, EntryDetail } from '../../view/types.ts';
import { Empty, Trouble } from '../parts/state.tsx';
import { Block, Line } from '../parts/text.tsx';
import { useAnswer } from '../state/use.ts';
import { plural } from '../words/figures.ts';
import { Verdicts } from './verdicts.tsx';

interface DetailsProps {
  loop: string;
  place: number;
  measured: ((element: HTMLElement | null) => void) | undefined;
}

export function EntryDetails({ loop, place, measured }: DetailsProps) {
  const path = `api/loops/${encodeURIComponent(loop)}/entries/${place}`;
  const { answer, problem } = useAnswer<EntryDetail>(path);
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(measured);
  latest.current = measured;
  // The list has to know how high it is, whatever unfolds inside.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = new ResizeObserver(() => latest.current?.(element.closest('li')));
    look.observe(element);
    return () => look.disconnect();
  }, []);
  return (
    <div class="details" ref={box}>
      {problem && <Trouble problem={problem} />}
      {!answer && !problem && <Empty title="Opening …" />}
      {answer && <Details detail={answer} path={path} />}
    </div>
  );
}

function Details({ detail, path }: { detail: EntryDetail; path: string }) {
  const { reason, verdicts, facts, lines, hasDiff } = detail;
  return (
    <>
      {lines.length > 0 && !reason && <Block text={lines.join('\n')} />}
      {reason && (
        <section>
          <h3>What the agent was told</h3>
          {!reason.exact && <p class="small soft">Put together again from the journal.</p>}
          <Block text={reason.text} class="reason" />
        </section>
      )}
      {verdicts.length > 0 && (
        <section>
          <h3>Verdicts</h3>
          <Verdicts verdicts={verdicts} />
        </section>
      )}
      {hasDiff && <Diff path={`${path}/diff`} />}
      {facts.length > 0 && (
        <dl class="facts small">
          {facts.map(({ name, value }) => (
            <div key={name}>
              <dt class="soft">
                <Line text={name} />
              </dt>
              <dd>
                <Line text={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

function Diff({ path }: { path: string }) {
  const [isWanted, setWanted] = useState(false);
  const { answer, problem } = useAnswer<DiffView>(isWanted ? path : undefined);
  return (
    <section>
      <button type="button" class="button" aria-expanded={isWanted} onClick={() => setWanted(!isWanted)}>
        {isWanted ? 'Hide what changed' : 'Show what changed'}
      </button>
      {isWanted && (
        <>
          {problem && <Trouble problem={problem} />}
          {answer?.problem !== undefined && (
            <p class="soft">
              <Line text={answer.problem} />
            </p>
          )}
          {answer?.files.map((file) => (
            <FileDiff key={file.path} file={file} />
          ))}
          {answer && answer.more > 0 && <p class="soft small">and {plural(answer.more, 'more file')}</p>}
        </>
      )}
    </section>
  );
}

const CHANGES: Record<DiffFile['change'], string> = {
  added: 'new',
  removed: 'removed',
  changed: '',
  renamed: 'renamed',
};

function FileDiff({ file }: { file: DiffFile }) {
  const { path, before, change, added, removed, hunks = [], cut, binary } = file;
  return (
    <details class="file" open={hunks.length > 0 && added + removed <= 80}>
      <summary>
        <Line text={before === undefined || before === path ? path : `${before} → ${path}`} class="code" />{' '}
        <span class="small soft">
          {[CHANGES[change], binary ? 'binary' : `+${added} −${removed}`].filter(Boolean).join(', ')}
        </span>
      </summary>
      {hunks.map((hunk) => (
        <div class="hunk code" key={hunk.header}>
          <p class="soft">
            <Line text={hunk.header} />
          </p>
          {hunk.lines.map((line, i) => (
            <p key={i} class={LINE_CLASSES[line[0] ?? ' '] ?? ''}>
              <Line text={line === '' ? ' ' : line} />
            </p>
          ))}
        </div>
      ))}
      {cut && <p class="soft small">More lines changed than are shown.</p>}
    </details>
  );
}

const LINE_CLASSES: Record<string, string> = { '+': 'plus', '-': 'minus' };
