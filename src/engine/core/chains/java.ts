/** Java, Kotlin, Scala, Groovy and Clojure: Maven, gradle, sbt and ant. */
import { byWords, type Verbs } from '../commands/by-words.ts';
import type { Checks, Mute, OtherOptions } from './chain.ts';

export const sources = /^(?:kt|scala|clj[cs]?)$/;

export const tests = [
  /(?:Tests?|TestCase|IT|Spec|Specs)\.(?:java|kt|kts|scala|groovy)$/,
  /(?:^|\/)Test[A-Z]\w*\.(?:java|kt|scala|groovy)$/,
];

export const runnerSettings = [
  /(?:^|\/)\.mvn\/|(?:^|\/)(?:gradle|junit-platform)\.properties$|(?:^|\/)testng\.xml$/,
];

export const dependencyFiles = [
  /(?:^|\/)(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|libs\.versions\.toml|gradle-wrapper\.properties)$/,
];

export const inputs = [
  'pom.xml',
  '.mvn/**',
  'mvnw',
  'build.gradle',
  'build.gradle.kts',
  'settings.gradle',
  'settings.gradle.kts',
  'gradle.properties',
  'gradle/**',
  'gradlew',
];

export const mutes: readonly Mute[] = [
  {
    name: 'suppress-warnings',
    group: 'lint',
    view: 'code',
    expression: /@(?:file:)?Suppress(?:Warnings|FBWarnings|Lint)?\b/,
    languages: ['java', 'kotlin', 'scala'],
  },
  {
    name: 'scalastyle-off',
    group: 'lint',
    expression: /(?:\/\/|\/\*)\s{0,20}(?:scalastyle|scalafix)\s{0,5}:\s{0,5}off/,
    languages: ['scala'],
  },
  {
    name: 'ktlint-disable',
    group: 'lint',
    expression: /\/[/*]\s{0,20}ktlint-disable/,
    languages: ['kotlin'],
  },
];

export const settings = ['settings.gradle', 'settings.gradle.kts', 'build.gradle', 'pom.xml', '.mvn'];

export const homeSettings = ['.m2/settings.xml', '.gradle/gradle.properties', '.gradle/init.gradle'];

export const leaves = ['.gradle/', 'target/'];

export const checks: Checks = {
  'mvn mvnw mvnw.cmd gradle gradlew gradlew.bat ant sbt mill lein': (args) => byWords(args, GOALS),
  'javac kotlinc': 'build',
  'detekt ktlint checkstyle': 'lint',
};

const GOALS: Verbs = {
  test: 'tests',
  verify: 'all',
  check: 'all',
  package: 'all',
  install: 'all',
  build: 'all',
  'integration-test': 'tests',
  compile: 'build',
  assemble: 'build',
  compileJava: 'build',
  compileKotlin: 'build',
  'test-compile': 'build',
};

export const otherOptions: OtherOptions = { 'mvn mvnw': ['-f', '-o', '-e', '-t', '-g'] };
