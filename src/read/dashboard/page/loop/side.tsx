/** Beside the parts of a loop: its gates as they are now, what would end it, what was asked. */
import type { AgentView, GateView, LoopPage, QuestionView } from '../../view/types.ts';
import { Shape } from '../parts/shape.tsx';
import { Meter, OutcomeShape } from '../parts/state.tsx';
import { Line } from '../parts/text.tsx';
import { Age } from '../parts/time.tsx';
import { capital, plural, sayShare } from '../words/figures.ts';
import { OUTCOMES, type ShapeName } from '../words/states.ts';

export function Side({ view }: { view: LoopPage }) {
  const { gates, budgets, questions, agents, phases, owner } = { ...view, owner: view.row.owner };
  return (
    <aside class="side" aria-label="This loop now">
      <section class="card panel">
        <h2>Gates now</h2>
        {gates.length === 0 ? (
          <p class="soft">Nothing has been judged yet.</p>
        ) : (
          <ul class="gate-list">
            {gates.map((gate) => (
              <Gate key={gate.name} gate={gate} />
            ))}
          </ul>
        )}
      </section>
      {budgets.length > 0 && (
        <section class="card panel">
          <h2>{view.row.doing === 'ended' ? 'Limits' : 'What would end it'}</h2>
          <ul class="budgets">
            {budgets.map((budget) => (
              <li key={budget.name}>
                <p>
                  <Line text={capital(budget.words)} /> <span class="soft">{sayShare(budget.share)}</span>
                </p>
                <Meter share={budget.share} label={`${sayShare(budget.share)} used`} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {phases && phases.length > 0 && (
        <section class="card panel">
          <h2>Phases</h2>
          <ol class="phases">
            {phases.map((phase) => (
              <li key={phase.name} aria-current={phase.state === 'current' ? 'step' : undefined}>
                <Shape name={PHASE_SHAPES[phase.state]} /> <Line text={phase.name} />{' '}
                <span class="soft small">
                  {phase.state === 'later' ? 'later' : plural(phase.iterations ?? 0, 'iteration')}
                </span>
              </li>
            ))}
          </ol>
        </section>
      )}
      {questions.length > 0 && <Questions questions={questions} />}
      {agents.length > 0 && <Agents agents={agents} />}
      <section class="card panel small">
        <h2>Owner</h2>
        <p>
          <Line text={`${owner.kind === 'run' ? 'Run, session' : 'Session'} ${owner.session}`} />
        </p>
        {owner.alive !== undefined && (
          <p class="soft">{owner.alive ? 'Its process runs.' : 'Its process has ended.'}</p>
        )}
        {owner.command !== undefined && (
          <p>
            <span class="soft">In a terminal: </span>
            <code class="code outside">{owner.command}</code>
          </p>
        )}
        {owner.repo !== undefined && (
          <p class="soft">
            Repository: <Line text={owner.repo} />
          </p>
        )}
        {view.walls !== undefined && (
          <p class="soft">
            Walls: <Line text={view.walls} />
          </p>
        )}
        {view.contract && (
          <p class="soft">
            Contract {view.contract.sha256.slice(0, 12)}, {plural(view.contract.gates, 'gate')}
          </p>
        )}
      </section>
    </aside>
  );
}

const PHASE_SHAPES: Record<'passed' | 'current' | 'later', ShapeName> = {
  passed: 'done',
  current: 'busy',
  later: 'unknown',
};

function Gate({ gate }: { gate: GateView }) {
  return (
    <li>
      <OutcomeShape outcome={gate.verdict} />
      <div>
        <p>
          <strong>
            <Line text={gate.name} />
          </strong>{' '}
          {OUTCOMES[gate.verdict].words}
        </p>
        <p class="small">
          <Line text={gate.summary} />
        </p>
        <p class="small soft">
          {gate.class}, since iteration {gate.since}
        </p>
      </div>
    </li>
  );
}

const SAID: Record<QuestionView['state'], string> = {
  open: 'open',
  answered: 'you answered',
  prompted: 'answered by a prompt',
  decided: 'the agent decided: an assumption',
};

function Questions({ questions }: { questions: readonly QuestionView[] }) {
  return (
    <section class="card panel">
      <h2>Questions of the agent</h2>
      <ul class="asked-list">
        {questions.map((question) => (
          <li key={question.name}>
            <p>
              <Line text={question.text} />
            </p>
            <p class="small soft">
              {SAID[question.state]}
              {question.answer !== undefined && (
                <>
                  {': '}
                  <Line text={question.answer} />
                </>
              )}
              {' · '}
              <Age at={question.answeredAt ?? question.askedAt} />
              {question.answeredAt !== undefined &&
                (question.told ? ' · the agent was told' : ' · not told yet')}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Agents({ agents }: { agents: readonly AgentView[] }) {
  return (
    <section class="card panel">
      <h2>Subagents</h2>
      <ul class="asked-list">
        {agents.map((agent) => (
          <li key={agent.id}>
            <p>
              <Line text={`${agent.type} · ${agent.status}`} />{' '}
              <span class="soft small">
                <Age at={agent.endedAt ?? agent.begunAt} />
              </span>
            </p>
            {(agent.failed ?? agent.said) !== undefined && (
              <p class="small soft">
                <Line text={agent.failed ?? agent.said ?? ''} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
