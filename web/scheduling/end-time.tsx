import type { ReactNode } from 'react'
import { useMinute } from '../ui/moments.ts'
import { clockTime } from '../ui/time.tsx'
import { endMoment } from './time-options.ts'

export function EndTime({ at }: { at: number }): ReactNode {
  return <time dateTime={new Date(at * 1000).toISOString()}>{endMoment(at, useMinute(), clockTime)}</time>
}
