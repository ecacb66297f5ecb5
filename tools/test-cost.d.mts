/** Returns the CPU time of this process in milliseconds; on Linux including its ended children. */
export function cpuTime(): number
