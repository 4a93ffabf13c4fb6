/** A run that cannot be driven, on whichever machine: trying again does not help. */
export class Hopeless extends Error {}
