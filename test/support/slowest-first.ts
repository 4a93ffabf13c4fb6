import { BaseSequencer, type TestSpecification } from 'vitest/node';

const PROJECTS = ['whole', 'seams', 'world', 'unit'];
const place = ({ project }: TestSpecification) => PROJECTS.indexOf(project.name);

/**
 * The slow project first, so that no slow file runs alone at the end. A process serves files of one project: with these
 * side by side, it serves many.
 */
export default class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => place(a) - place(b));
  }
}
