import { proposeContract } from '/work/wt/facts/src/engine/core/contract/propose.ts';
import { projectFacts } from '/work/wt/facts/src/engine/project/facts/project-facts.ts';
for (const n of process.argv.slice(2)) {
  console.log('=====', n);
  const t = proposeContract(projectFacts(n.startsWith('/')?n:'/tmp/facts/' + n));
  console.log(t.split('\n').filter((l) => !/^# (yaml|What|Commands run only|When all|a feature|  review|Standing|every)|^$|^limits|tidy:|intact:|honest:|saved:|checks:/.test(l)).join('\n'));
}
