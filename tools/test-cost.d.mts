/** The CPU time of this process in milliseconds; on Linux with that of the children that ended. */
export function cpuTime(): number
