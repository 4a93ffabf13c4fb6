import { cleanAnswer } from '../../../../engine/core/loop/asked.ts';
import type { LoopState } from '../../../../engine/core/loop/state.ts';
import { oneLine } from '../../../../engine/core/text/clip.ts';
import { defined } from '../../../../engine/core/text/defined.ts';
import { UsageError } from '../../../../engine/core/text/errors.ts';
import type { RunCommand } from '../../../../engine/ports/fleet.ts';
import { answerIn, questionMeant } from '../../../../engine/run/person/answer.ts';
import type { ActionRequest } from '../../view/overview-types.ts';
import { cleanNote, MOST_TEXT } from '../act.ts';

export interface Asked extends Pick<RunCommand, 'command' | 'about' | 'text'> {
  /** What it is, after "asked to". */
  words: string;
}

/** What a person asks on the page, as the engine takes it. */
export function asCommand(request: ActionRequest, state: LoopState | undefined): Asked {
  switch (request.action) {
    case 'pause':
    case 'resume':
    case 'cancel':
      return {
        command: request.action,
        words: request.action,
        ...defined({ text: cleanNote(request.note) }),
      };
    case 'release':
      return {
        command: 'release',
        words: 'let it go without proof',
        ...defined({ text: cleanNote(request.note) }),
      };
    case 'approve':
    case 'reject': {
      const words = request.gate === undefined ? request.action : `${request.action} ${request.gate}`;
      return {
        command: request.action,
        words,
        ...defined({ about: request.gate, text: cleanNote(request.note) }),
      };
    }
    case 'answer': {
      if (!state) throw new UsageError('its agent has asked nothing so far');
      const question = questionMeant(state, request.question);
      const given = (request.text ?? '').slice(0, MOST_TEXT);
      const said = cleanAnswer(answerIn(question, given, request.option).text);
      // The number of an option stands for it, where nothing was added.
      const text = given.trim() === '' ? String(request.option) : said;
      return {
        command: 'answer',
        about: question.name,
        text,
        words: `take the answer: ${oneLine(said, 200)}`,
      };
    }
    default:
      throw new UsageError(`"${request.action}" cannot be asked of a run of a fleet`);
  }
}
