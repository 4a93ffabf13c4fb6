// A gate of your own: copy this file into your project, change what it looks at, and name it in untildone.yaml:
//   changelog: { custom: checks/changelog.mjs, with: { file: CHANGELOG.md } }
import { readFileSync } from 'node:fs';

export default defineGate({
  judge({ with: settings }) {
    const file = settings.file ?? 'CHANGELOG.md';
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const headings = readFileSync(file, 'utf8').match(/^## .*$/gm) ?? [];
    if (headings.some((heading) => heading.includes(version))) {
      return { outcome: 'pass', summary: `${file} has a section for ${version}` };
    }
    return {
      outcome: 'fail',
      summary: `${file} has no section for ${version}`,
      evidence: [`its newest section is "${headings[0] ?? 'none'}"`],
      next: `Next: add a section "## ${version}" to ${file} that says what a user will notice.`,
    };
  },
});
