// Plays the process of one run: it says to its worker what the task asks for, and works on nothing.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

let drains = false;
let lost = false;
const answers = new Map();
const say = (message) => new Promise((resolve) => process.send(message, resolve));

process.on('disconnect', () => process.exit(1));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {});
process.on('message', (message) => {
  if (message.type === 'order') void play(message);
  else if (message.type === 'may') answers.get(message.id)?.(message.refused);
  else if (message.type === 'command') void heed(message.command);
  else if (message.type === 'stop' && message.why === 'drain') drains = true;
  else if (message.type === 'stop' && !score.deaf) {
    lost = true;
    void over({ kind: 'fenced', why: 'another worker has taken the run' });
  }
});

let score = {};
let done = 0;
let cost = 0;
const heard = [];

async function heed(command) {
  heard.push(command.command);
  if (score.deaf) return;
  await say({ type: 'applied', id: command.id });
  if (command.command === 'cancel') await over({ kind: 'ended', result: result('cancelled') });
}

const result = (status) => ({ status, cause: status, iterations: done, costUsd: cost, tokens: 0 });

async function over(outcome) {
  await say({ type: 'over', outcome });
  process.exit(0);
}

async function play(order) {
  const spec = JSON.parse(order.spec.split('\n')[1]);
  score = JSON.parse(spec.task);
  if (score.environment) writeFileSync(score.environment, JSON.stringify(process.env));
  if (score.crash === 'first') throw new TypeError('the score says so');
  const spent = [...(score.spent ?? [])];
  await say({ type: 'claimed', takesSinceIteration: score.takes ?? 1, spent });
  cost = (score.spent ?? []).reduce((sum, { usd }) => sum + usd, 0);
  done = (score.spent ?? []).length;
  for (let at = 1; at <= (score.iterations ?? 1) && !lost; at++) {
    const refused = await new Promise((resolve) => {
      answers.set(at, resolve);
      void say({ type: 'may', id: at, model: spec.client.model ?? 'm', costUsd: cost, iteration: done + 1 });
    });
    if (refused) return over({ kind: 'rests', why: refused.why, untilMs: refused.untilMs });
    if (drains) return over({ kind: 'handed_back' });
    const begun = {
      status: 'active',
      iteration: done,
      costUsd: cost,
      tokens: 0,
      doing: 'begins',
      at: Date.now(),
    };
    await say({ type: 'news', news: begun, lines: [] });
    await wait(score.ms ?? 10);
    while (score.until && !lost && !ready(score.until)) await wait(20);
    done++;
    cost += score.usd ?? 0;
    const news = {
      status: 'active',
      iteration: done,
      costUsd: cost,
      tokens: 0,
      doing: 'plays',
      at: Date.now(),
    };
    await say({ type: 'news', news, lines: [`line ${done}`] });
    spent.push({ iteration: done, usd: score.usd ?? 0, at: Date.now() });
    await say({ type: 'published', iteration: done, commit: `c${done}`, costUsd: cost, spent });
    if (drains) return over({ kind: 'handed_back' });
  }
  if (score.crash === 'last') throw new TypeError('the score says so');
  if (score.outcome) return over(score.outcome);
  return over({ kind: 'ended', result: result(score.status ?? 'verified_done') });
}

function ready(file) {
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
}
