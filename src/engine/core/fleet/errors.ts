/** The store of the engine cannot be reached. What was asked of it may be asked again later. */
export class EngineAway extends Error {
  override name = 'EngineAway';
}

/** Another worker has published for this run since: this one must not go on with it. */
export class Fenced extends Error {
  override name = 'Fenced';
}

/** The remote cannot be reached, or refuses pushes at the moment. */
export class RemoteAway extends Error {
  override name = 'RemoteAway';
}
