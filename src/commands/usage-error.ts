/** Wrong use: said in one line with what to type instead; exit code 2. */
export class UsageError extends Error {}
