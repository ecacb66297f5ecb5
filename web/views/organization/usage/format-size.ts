import { t } from '../../../text/t.ts'

/** Returns a size in bytes with a unit that fits. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return t('{bytes, plural, one {# byte} other {# bytes}}', { bytes })
  if (bytes < 1024 ** 2) return t('{size, number} KiB', { size: Math.round(bytes / 1024) })
  if (bytes < 1024 ** 3) return t('{size, number} MiB', { size: tenths(bytes / 1024 ** 2) })
  return t('{size, number} GiB', { size: tenths(bytes / 1024 ** 3) })
}

const tenths = (value: number) => Math.round(value * 10) / 10
