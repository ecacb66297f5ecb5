import type { Message } from '../../store/messages/message.ts'
import { areSame } from '../../ui/create-store.ts'

/**
 * Returns true if two states of a message look the same. They may differ in whether the message is read, because a row
 * does not show that. While the user scrolls, hundreds of messages become read.
 */
export function areSameButRead(one: Message, other: Message): boolean {
  if (one === other) return true
  const names = Object.keys(one) as (keyof Message)[]
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => name === 'flags' || Object.is(one[name], other[name])) &&
    areSame(withoutRead(one.flags), withoutRead(other.flags))
  )
}

const withoutRead = (flags: readonly string[]) => flags.filter((flag) => flag !== 'read')
