import type { ReactNode } from 'react'
import { clockTime, useMinute } from '../../ui/time/time.tsx'
import { endMoment } from './end-moment.ts'

export function EndTime({ at }: { at: number }): ReactNode {
  return <time dateTime={new Date(at * 1000).toISOString()}>{endMoment(at, useMinute(), clockTime)}</time>
}
