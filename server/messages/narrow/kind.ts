import type { Term } from './term.ts'

const CHANNEL_OPERATORS = new Set(['channel', 'stream', 'channels', 'streams', 'topic', 'subject'])

const DIRECT_OPERATORS = new Set(['dm', 'pm-with', 'pm_with', 'dm-including', 'group-pm-with', 'group_pm_with'])

/** Of what kind every message is that fulfils the term; null when it may be of either. */
export function messageTypeOf({ operator, operand, negated }: Term): 'channel' | 'direct' | null {
  if (operator === 'is' && (operand === 'dm' || operand === 'private')) return negated ? 'channel' : 'direct'
  if (negated) return null
  if (CHANNEL_OPERATORS.has(operator)) return 'channel'
  return DIRECT_OPERATORS.has(operator) ? 'direct' : null
}
