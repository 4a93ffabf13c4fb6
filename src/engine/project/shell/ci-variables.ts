/** Variables by which a job of CI is spoken for: code of the work gets none of them. */

/** Each is set by the systems of CI that bring the variables below. */
const CI = ['CI', 'GITHUB_ACTIONS', 'GITLAB_CI', 'TF_BUILD', 'BITBUCKET_BUILD_NUMBER', 'TEAMCITY_VERSION'];

/** Files and services by which a step gives orders to the runner, and the folder in which they lie. */
const ORDERS =
  /^(?:ACTIONS_\w+|GITHUB_(?:ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)|RUNNER_(?!(?:ARCH|DEBUG|ENVIRONMENT|NAME|OS|TRACKING_ID)$)\w+|BUILDKITE_(?:AGENT_\w+|ENV_FILE|JOB_LOG\w*)|FORGEJO_(?:ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)|GITEA_(?:ENV|OUTPUT|PATH|STATE|STEP_SUMMARY))$/;

/** What the systems of CI name with a secret in it. `CI_REPOSITORY_URL` of GitLab carries the token of the job. */
const SECRETS =
  /^(?:CI_REPOSITORY_URL|SYSTEM_ACCESSTOKEN|(?:CI|GH|GITHUB|GITLAB|FORGEJO|GITEA|BITBUCKET|CIRCLE|CIRCLECI|BUILDKITE|SYSTEM|AZURE_DEVOPS|SEMAPHORE|DRONE|WOODPECKER|TRAVIS|APPVEYOR|TEAMCITY|JENKINS|CODEBUILD|NPM|NODE_AUTH|SIGSTORE|COSIGN)_?\w*(?:TOKEN|PASSWORD|JWT|OIDC|SECRET|PRIVATE_KEY)\w*)$/;

/** On a machine of yours the same names are variables like all others. */
export function saysForJob(environment: NodeJS.ProcessEnv): (name: string) => boolean {
  if (!CI.some((name) => environment[name] && environment[name] !== 'false')) return () => false;
  return (name) => ORDERS.test(name) || SECRETS.test(name);
}
