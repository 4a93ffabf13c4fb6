// The types of the library: declarations of its entry and of every module that they lead to, nothing else.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const IMPORTED = /(?<=(?:from |import\()['"])(\.[^'"]+)\.ts(?=['"])/g;

/** `folder` gets the tree of `root` below which all of them are. */
export function writeDeclarations(entry, { root, folder }) {
  const open = [resolve(entry)];
  const seen = new Set(open);
  for (let file = open.pop(); file; file = open.pop()) {
    const text = declarationsOf(file);
    for (const [, target] of text.matchAll(IMPORTED)) {
      const next = resolve(dirname(file), `${target}.ts`);
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
    const out = join(folder, relative(resolve(root), file)).replace(/\.ts$/, '.d.ts');
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, text.replace(IMPORTED, '$1.js'));
  }
}

function declarationsOf(file) {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, strict: true },
  });
  if (diagnostics.length === 0) return outputText;
  throw new Error(
    ts.formatDiagnostics(diagnostics, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => process.cwd(),
      getNewLine: () => '\n',
    }),
  );
}
