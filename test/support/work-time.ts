/** Milliseconds that this process has worked so far. Unlike the time of day, they say the same on a busy machine. */
export function workMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
