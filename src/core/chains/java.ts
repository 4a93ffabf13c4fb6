/** Java, Kotlin, Scala, Groovy and Clojure: Maven, gradle, sbt and ant. */

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
