import { projectFacts } from '/work/wt/facts/src/engine/project/facts/project-facts.ts';
const f = projectFacts('/tmp/facts/'+process.argv[2]);
console.log(JSON.stringify({ci:f.ci,tasks:f.tasks,versions:f.versions},null,1));
