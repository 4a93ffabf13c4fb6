import { approvedText } from '../../core/loop/questions.ts';
import type { Answered } from '../../core/loop/state.ts';
import { sayMoment } from '../../core/text/duration.ts';
import type { Gate, Judgement } from '../gate.ts';
import { approveTraits } from './traits.ts';

/** Your approval, given outside of the session. It is for the text of the file at that moment. */
export const approveGate: Gate<'approve'> = {
  ...approveTraits,
  async judge({ ask, file }, context): Promise<Judgement> {
    const { answers, event } = context.request;
    // Without a loop nobody can be asked, so a failure could never become a pass.
    if (!answers || (event !== undefined && event.name !== 'Stop'))
      return { outcome: 'skip', summary: 'only the Stop of a loop can ask for an approval' };
    const text = file === undefined ? undefined : await context.workspace.read(file);
    if (file !== undefined && (text ?? '').trim() === '') {
      return {
        outcome: 'fail',
        summary: `${file} is not there yet`,
        next: `Next: write ${file}. A person reads it before the work goes on: ${ask}`,
      };
    }
    const digest = text === undefined ? undefined : context.judges.digest(approvedText(text));
    const answered = Object.hasOwn(answers, context.name) ? answers[context.name] : undefined;
    return judgement(answered, { ask, file, digest });
  },
};

interface Question {
  ask: string;
  file: string | undefined;
  digest: string | undefined;
}

function judgement(answered: Answered | undefined, { ask, file, digest }: Question): Judgement {
  const question = file === undefined ? ask : `${ask} (${file})`;
  if (!answered) return { outcome: 'fail', summary: 'this is not approved yet', asks: question };
  const isSame = digest === answered.digest;
  const said = `${answered.said} by a person (${sayMoment(answered.at)})${answered.note ? `: ${answered.note}` : ''}`;
  if (answered.said === 'approved') {
    if (isSame)
      return { outcome: 'pass', summary: said, proof: digest ? { outputSha256: digest } : undefined };
    const summary = `${file ?? 'what is asked'} was changed since a person approved it`;
    return { outcome: 'fail', summary, asks: `${question} (changed since it was approved)` };
  }
  const unheard = !answered.told || (file !== undefined && isSame);
  if (!unheard)
    return {
      outcome: 'fail',
      summary: said,
      asks: `${question} (after your last answer: ${answered.note ?? 'no'})`,
    };
  return {
    outcome: 'fail',
    summary: said,
    evidence: answered.told ? [`${file} is the same as when it was rejected.`] : undefined,
    next: `Next: a person said no${answered.note ? `: "${answered.note}"` : ''}. Change ${file ?? 'the work'} accordingly; they are asked again.`,
  };
}
