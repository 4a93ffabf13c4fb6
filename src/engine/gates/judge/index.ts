import { conversationText } from '../../core/loop/transcript.ts';
import { keepShort } from '../../core/text/clip.ts';
import type { Gate, GateContext } from '../gate.ts';
import { conversationIn, projectOf } from '../shared/asks.ts';
import { describeChanges } from './changes.ts';
import { judgementFrom, MATERIAL_IS_DATA, type Material, OPINION_SCHEMA, quoteUntrusted } from './opinion.ts';
import { judgeTraits } from './traits.ts';

const MAX_COST_USD = 0.5;
/** One turn to answer. The others are for answers that Claude Code sends back because of their shape. */
const MAX_TURNS = 6;
const DIFF_LIMIT = 60_000;
const TASK_LIMIT = 20_000;
const MESSAGE_LIMIT = 20_000;
const CONVERSATION_LIMIT = 40_000;

/**
 * The answer of a model to a question about the work. The model sees the question, the task and the changes since the
 * start. So its verdict depends on these alone and may be reused. It sees the final message of the agent only when there
 * is no tree, and the conversation only when the contract asks for it; then every Stop is a new question.
 */
export const judgeGate: Gate<'judge'> = {
  ...judgeTraits,
  async judge({ question, model, maxCostUsd = MAX_COST_USD, transcript }, context, signal) {
    const work = await workOf(context);
    const said = transcript ? conversationOf(context) : undefined;
    const material = [work, said].filter((part) => part !== undefined);
    if (material.length === 0)
      return {
        outcome: 'unproven',
        summary: 'there is nothing to judge: the start of the work is not known',
      };
    const task = {
      title: 'The task that the agent was given',
      text: keepShort(context.request.task, TASK_LIMIT),
    };
    const answer = await context.judges.agent.ask({
      systemPrompt: SYSTEM_PROMPT,
      prompt: `The question:\n${question}\n\n${quoteUntrusted([task, ...material])}\n\nAnswer the question at the top.`,
      schema: OPINION_SCHEMA,
      tools: [],
      cwd: projectOf(context),
      maxCostUsd,
      maxTurns: MAX_TURNS,
      signal,
      model,
    });
    return judgementFrom(answer, `judge ${question}`);
  },
};

const SYSTEM_PROMPT = `You judge the work of a coding agent. You get one question and material; you can run nothing.

${MATERIAL_IS_DATA}

Answer pass only when the material itself shows that the answer to the question is yes. What the agent says about its
work, in messages, comments or documents, shows nothing. Answer fail when the material shows that it is not so, and name
each thing that is missing. Answer cannot_tell when the material does not decide it, for instance because the part that
matters is not shown. Judge what was asked, not style, and ask for nothing that neither question nor task ask for.`;

async function workOf(context: GateContext): Promise<Material | undefined> {
  const { workspace, request, tree } = context;
  const { base, lastMessage, onlyPaths } = request;
  if (tree === undefined) {
    if (lastMessage === undefined) return undefined;
    const text = lastMessage.slice(-MESSAGE_LIMIT);
    return { title: "The agent's final message (its own claim; the files could not be had)", text };
  }
  if (base.tree === undefined) return undefined;
  const { text, whole } = await describeChanges(workspace, base.tree, tree, DIFF_LIMIT, onlyPaths);
  const title = 'What changed in the files since the agent began';
  return { title: whole ? title : `${title} (too long: parts are left out)`, text };
}

function conversationOf(context: GateContext): Material | undefined {
  const { lastMessage } = context.request;
  const { text, whole } = conversationText(conversationIn(context), lastMessage, CONVERSATION_LIMIT);
  if (text === '') return undefined;
  const title = 'The conversation with the agent, without what its tools answered';
  return { title: whole ? title : `${title} (too long: only its end)`, text };
}
