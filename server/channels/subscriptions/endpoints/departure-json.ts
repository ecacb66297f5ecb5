import { z } from 'zod'
import type { Pair } from '../subscription.ts'
import type { Departures } from '../unsubscribe.ts'

export const departureFields = {
  removed: z.array(z.string()).describe('Names of the channels that were left, once for each person who left.'),
  not_removed: z.array(z.string()).describe('Names of the channels in which somebody was not, likewise.'),
}

export function toDepartureJson({ removed, notRemoved }: Departures): { removed: string[]; not_removed: string[] } {
  return { removed: removed.map(nameOf), not_removed: notRemoved.map(nameOf) }
}

const nameOf = ({ channel }: Pair) => channel.name
