/** Bytes from `start` to before `end`. */
export type Range = { start: number; end: number }

/**
 * Returns the part of `size` bytes that a Range header requests, or null if the file does not have it. Several parts,
 * and units other than bytes, count as `whole`.
 */
export function parseRange(header: string | undefined, size: number): Range | 'whole' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return 'whole'
  if (first === '')
    return Number(last) === 0 || size === 0 ? null : { start: Math.max(0, size - Number(last)), end: size }
  const [start, end] = [Number(first), last === '' ? size : Math.min(size, Number(last) + 1)]
  if (last !== '' && Number(last) < start) return 'whole'
  return start < size ? { start, end } : null
}
